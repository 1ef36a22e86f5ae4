import Operations
import WorkerKit

/// The name and the settings of the gateway.
package enum GatewayProgram: ConfiguredProgram {
    /// The largest record where no setting says otherwise, in bytes. It fits the largest body and its headers.
    package static let messageLimit = 4 << 20

    static let name = "gateway"

    package static func check(path: String?) throws -> [String] { try self.load(path: path).warnings }

    package static var settingsTable: String {
        // The reader gets neither a file nor overrides, so that the table shows the defaults only.
        let reader = SettingsReader(file: nil, overrides: [])
        _ = GatewaySettings(reader)
        return SettingDocumentation.markdown(reader.documentation)
    }

    /// Reads and checks the settings.
    ///
    /// - Parameter path: the path of the settings file; nil for the environment alone.
    /// - Returns: the settings, and a line for each warning.
    /// - Throws: `SettingsFaults` with one line for each fault, or an error of a file that cannot be read.
    static func load(path: String?) throws -> (settings: GatewaySettings, warnings: [String]) {
        let reader = SettingsReader(file: try path.map { try SettingsFile(path: $0) })
        let settings = GatewaySettings(reader)
        return (settings, try reader.finish().map(\.description))
    }
}
