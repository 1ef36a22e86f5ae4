import ArgumentParser
import Operations
import Terminal

/// `dead-letters settings`: every setting there is.
struct SettingsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "settings",
        abstract: "List every setting of the file, with its type, default and meaning."
    )

    func run() { Console.line(Self.markdown) }

    static var markdown: String {
        // Nothing is set, so that nothing but the defaults can show.
        let reader = SettingsReader(file: nil, overrides: [])
        _ = ToolSettings(reader)
        return SettingDocumentation.markdown(reader.documentation)
    }
}
