/// What a reader should know of one setting, as the code that reads it says.
package struct SettingDocumentation: Hashable, Sendable {
    /// `gdt.apps[].sign_key`
    package let key: String
    /// nil for what the environment cannot say, as a list of groups.
    package let environmentName: String?
    package let type: String
    /// As it would be written in the file; nil if there is none.
    package let defaultText: String?
    package let isRequired: Bool
    package let help: String

    /// A table for a README.
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

    /// Paragraphs for `--help`.
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
