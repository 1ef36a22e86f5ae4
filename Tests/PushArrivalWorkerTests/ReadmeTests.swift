import Foundation
import Operations
import Testing
import WorkerKit

@testable import PushArrivalWorker

/// What the README says of settings is what the two programs read.
struct ReadmeTests {
    private static let head = 2

    private static func table(_ name: String) throws -> [Substring] {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let text = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
        let start = try #require(text.firstRange(of: "<!-- settings: \(name) -->\n"))
        let end = try #require(text[start.upperBound...].firstRange(of: "<!-- end -->"))
        return text[start.upperBound..<end.lowerBound].split(separator: "\n")
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
