import ArgumentParser
import Operations
import Terminal

/// `dead-letters settings`: lists all settings.
struct SettingsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "settings",
        abstract: "List every setting of the file, with its type, default and meaning."
    )

    func run() { Console.line(Self.markdown) }

    /// The table of all settings, as README.md has it.
    static var markdown: String {
        // No file and no variable is read, so the table shows the defaults.
        let reader = SettingsReader(file: nil, overrides: [])
        _ = ToolSettings(reader)
        return SettingDocumentation.markdown(reader.documentation)
    }
}
