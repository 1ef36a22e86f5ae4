import Operations
import ServiceKit
import Testing
import WorkerKit
import WorkerTestSupport

@testable import ActivationIntake

/// The document names the settings that the program reads.
struct DocumentTests {
    private static let head = 2

    /// The table leaves out what every worker has.
    @Test func theTableOfSettingsIsTheProgramsOwn() throws {
        let lines = IntakeProgram<StandardIntake>.settingsTable.split(separator: "\n")
        let reader = SettingsReader(file: nil, overrides: [])
        _ = KafkaSettings(reader.section("kafka"), .activationIntake)
        _ = OperationSettings(reader)
        let common = SettingDocumentation.markdown(reader.documentation).split(separator: "\n")
        let own = lines.dropFirst(Self.head).filter { !common.contains($0) }
        #expect(own.count >= 15 && own.count < lines.count - Self.head)
        let table = try Documents.section("settings: activation-intake").split(separator: "\n")
        #expect(table == lines.prefix(Self.head) + own)
    }
}
