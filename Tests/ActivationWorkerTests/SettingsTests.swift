import Configuration
import Operations
import Testing
import WorkerKit

@testable import ActivationWorker

/// What the program reads reaches the engine.
struct SettingsTests {
    @Test func theLongestGateIsASetting() throws {
        func gate(_ text: String) throws -> Duration {
            let file = try SettingsFile(text: text, path: "worker.yaml")
            let reader = SettingsReader(file: file, overrides: [])
            return WorkerSettings(reader, ActivationProgram.identity).engine.longestGate
        }
        #expect(try gate("retry: {}") == .seconds(300))
        #expect(try gate("retry:\n  longest_gate: 20s") == .seconds(20))
    }
}
