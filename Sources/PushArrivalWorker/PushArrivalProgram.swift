import Operations
import WorkerKit

/// The push-arrival worker's names and settings.
enum PushArrivalProgram: ConfiguredProgram {
    static let identity = WorkerIdentity(
        name: "push-arrival-worker",
        topic: "push-arrival",
        upstream: "statistics"
    )

    static func check(path: String?) throws -> [String] { try self.load(path: path).warnings }

    static var settingsTable: String {
        // Nothing is set, so that nothing but the defaults can show.
        let reader = SettingsReader(file: nil, overrides: [])
        _ = PushArrivalSettings(reader, self.identity)
        return SettingDocumentation.markdown(reader.documentation)
    }

    /// - Throws: `SettingsFaults` with everything that is wrong, one line each.
    static func load(path: String?) throws -> (settings: PushArrivalSettings, warnings: [String]) {
        let reader = SettingsReader(file: try path.map { try SettingsFile(path: $0) })
        let settings = PushArrivalSettings(reader, self.identity)
        return (settings, try reader.finish().map(\.description))
    }
}
