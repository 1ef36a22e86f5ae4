import Operations

/// Every setting of a worker as rows of a Markdown table: what the README shows is what the program reads.
package enum SettingsTable<P: WorkerProgram> {
    package static var rows: [String] {
        // Nothing is set, so that nothing but the defaults can show.
        let reader = SettingsReader(file: nil, overrides: [])
        _ = WorkerSettings(reader, P.identity)
        _ = P.handler(reader)
        let heads = ["| setting | environment | type | default | meaning |", "|---|---|---|---|---|"]
        return heads
            + reader.documentation.map { setting in
                let fallback = setting.isRequired ? "**required**" : Self.code(setting.defaultText)
                let name = setting.environmentName == "–" ? "–" : "`\(setting.environmentName)`"
                return "| `\(setting.key)` | \(name) | \(setting.type) | \(fallback) | \(setting.help) |"
            }
    }

    private static func code(_ text: String?) -> String {
        guard let text else { return "–" }
        return "`\(text)`"
    }
}
