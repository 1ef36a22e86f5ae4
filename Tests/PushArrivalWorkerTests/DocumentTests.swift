import Operations
import ServiceKit
import Testing
import WorkerKit
import WorkerTestSupport

@testable import PushArrivalWorker

/// The documents name the settings that the two programs read.
struct DocumentTests {
    private static let head = 2

    private static func table(_ name: String) throws -> [Substring] {
        try Documents.section("settings: \(name)").split(separator: "\n")
    }

    /// The table leaves out what every worker has.
    @Test func theTableOfSettingsIsTheProgramsOwn() throws {
        let lines = PushArrivalProgram.settingsTable.split(separator: "\n")
        let reader = SettingsReader(file: nil, overrides: [])
        _ = KafkaSettings(reader.section("kafka"), PushArrivalProgram.identity)
        _ = OperationSettings(reader)
        let common = SettingDocumentation.markdown(reader.documentation).split(separator: "\n")
        let own = lines.dropFirst(Self.head).filter { !common.contains($0) }
        #expect(own.count >= 15 && own.count < lines.count - Self.head)
        #expect(try Self.table("push-arrival-worker") == lines.prefix(Self.head) + own)
    }

    @Test func theTableOfTheForwarderIsTheProgramsOwn() throws {
        let lines = SettingsTable<PushForwardProgram>.markdown.split(separator: "\n")
        let own = lines.filter { $0.hasPrefix("| `forward.") }
        #expect(try Self.table("push-arrival-forward") == lines.prefix(Self.head) + own)
    }
}
