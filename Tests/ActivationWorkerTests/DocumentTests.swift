import Foundation
import Testing
import WorkerKit
import WorkerTestSupport

@testable import ActivationWorker

/// The documents name the settings that the program reads.
struct DocumentTests {
    @Test func theTableOfSettingsIsTheProgramsOwn() throws {
        let table = try Documents.section("settings: activation-worker")
        #expect(table == SettingsTable<ActivationProgram>.markdown.trimmingCharacters(in: .newlines))
    }
}
