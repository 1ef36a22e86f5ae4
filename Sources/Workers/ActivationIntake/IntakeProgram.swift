import Operations
package import ServiceKit
import WorkerKit

extension WorkerIdentity {
    /// The names of the intake.
    package static let activationIntake = WorkerIdentity(
        name: "activation-intake",
        topic: "activation",
        upstream: ""
    )
}

/// The settings of the intake with these parts.
package enum IntakeProgram<Parts: IntakeParts>: ConfiguredProgram {
    package static func check(path: String?) throws -> [String] { try self.load(path: path).warnings }

    package static var settingsTable: String {
        // The reader gets neither a file nor overrides, so that the table shows the defaults only.
        let reader = SettingsReader(file: nil, overrides: [])
        _ = self.settings(reader)
        return SettingDocumentation.markdown(reader.documentation)
    }

    /// Reads the settings.
    ///
    /// - Throws: `SettingsFaults` with every fault.
    static func load(path: String?) throws -> (settings: IntakeSettings, warnings: [String]) {
        let reader = SettingsReader(file: try path.map { try SettingsFile(path: $0) })
        let settings = self.settings(reader)
        return (settings, try reader.finish().map(\.description))
    }

    private static func settings(_ reader: SettingsReader) -> IntakeSettings {
        IntakeSettings(reader, .activationIntake, ciphers: Parts.ciphers(reader))
    }
}
