import Foundation
import Testing
import WorkerTestSupport

@testable import DeadLetterTool

@Suite struct DocumentTests {
    @Test func theDocumentedSettingsAreThoseOfTheProgram() throws {
        let table = try Documents.section("settings: dead-letters")
        #expect(table == SettingsCommand.markdown.trimmingCharacters(in: .newlines))
    }
}
