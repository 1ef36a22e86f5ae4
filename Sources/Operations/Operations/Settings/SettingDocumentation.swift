/// The description of one setting for a reader of the documentation. The code that reads the setting supplies
/// it.
package struct SettingDocumentation: Hashable, Sendable {
    /// The setting's name with its groups, as `gdt.apps[].sign_key`.
    package let key: String
    /// The environment variable that overrides the file; nil for a setting that no variable can hold, such as
    /// a list of groups.
    package let environmentName: String?
    /// The type in words, as "a duration".
    package let type: String
    /// The default as it would be written in the file; nil if there is none.
    package let defaultText: String?
    /// Whether a value must be given. An optional setting without a default may be left out.
    package let isRequired: Bool
    /// One or more sentences that say what the setting does.
    package let help: String

    /// Returns a Markdown table of these settings, for the documents and for `check-config --list`.
    package static func markdown(_ settings: [SettingDocumentation]) -> String {
        var lines = ["| setting | environment | type | default | meaning |", "|---|---|---|---|---|"]
        for setting in settings {
            let fallback = setting.isRequired ? "required" : setting.defaultText.map { "`\($0)`" } ?? "–"
            let cells = [
                "`\(setting.key)`", setting.environmentName.map { "`\($0)`" } ?? "–", setting.type, fallback,
                setting.help,
            ]
            lines.append("| " + cells.map { Self.escaped($0) }.joined(separator: " | ") + " |")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Returns one paragraph for each of these settings, for `--help`.
    package static func text(_ settings: [SettingDocumentation]) -> String {
        settings.map { setting in
            let fallback = setting.defaultText.map { "default \($0)" } ?? "optional"
            let traits = [setting.type, setting.isRequired ? "required" : fallback, setting.environmentName]
            return
                "\(setting.key) (\(traits.compactMap { $0 }.joined(separator: ", ")))\n    \(setting.help)\n"
        }.joined()
    }

    private static func escaped(_ cell: String) -> String {
        cell.split(separator: "|", omittingEmptySubsequences: false).joined(separator: "\\|")
    }
}
