import Foundation
import Testing

@testable import DeadLetterTool

@Suite struct ReadmeTests {
    @Test func theSettingsInTheReadmeAreThoseOfTheProgram() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let text = try String(contentsOf: root.appendingPathComponent("README.md"), encoding: .utf8)
        let start = try #require(text.firstRange(of: "<!-- settings: dead-letters -->\n"))
        let end = try #require(text[start.upperBound...].firstRange(of: "<!-- end -->"))
        let table = text[start.upperBound..<end.lowerBound]
        #expect(table == "\(SettingsCommand.markdown.trimmingCharacters(in: .newlines))\n")
    }
}
