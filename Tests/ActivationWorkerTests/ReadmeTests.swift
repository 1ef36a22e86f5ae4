import Foundation
import Testing
import WorkerKit

@testable import ActivationWorker

/// What the README says of settings is what the program reads.
struct ReadmeTests {
    @Test func theTableOfSettingsIsTheProgramsOwn() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let text = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
        let start = try #require(text.firstRange(of: "<!-- settings: activation-worker -->\n"))
        let end = try #require(text[start.upperBound...].firstRange(of: "<!-- end -->"))
        let table = text[start.upperBound..<end.lowerBound]
        #expect(table == "\(SettingsTable<ActivationProgram>.markdown.trimmingCharacters(in: .newlines))\n")
    }
}
