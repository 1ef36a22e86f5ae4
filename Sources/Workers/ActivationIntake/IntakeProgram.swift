import Operations
import ServiceKit
import WorkerKit

/// The name and the settings of the intake.
enum IntakeProgram: ConfiguredProgram {
    static let identity = WorkerIdentity(name: "activation-intake", topic: "activation", upstream: "")

    static func check(path: String?) throws -> [String] { try self.load(path: path).warnings }

    static var settingsTable: String {
        // The reader gets neither a file nor overrides, so that the table shows the defaults only.
        let reader = SettingsReader(file: nil, overrides: [])
        _ = IntakeSettings(reader, self.identity)
        return SettingDocumentation.markdown(reader.documentation)
    }

    /// Reads the settings.
    ///
    /// - Throws: `SettingsFaults` with every fault.
    static func load(path: String?) throws -> (settings: IntakeSettings, warnings: [String]) {
        let reader = SettingsReader(file: try path.map { try SettingsFile(path: $0) })
        let settings = IntakeSettings(reader, self.identity)
        return (settings, try reader.finish().map(\.description))
    }
}
