extension SettingsReader {
    /// Reads a list of texts: a YAML list, or one text with commas. The setting is required if it has no
    /// default.
    package func strings(_ key: String, default fallback: [String]? = nil, help: String) -> [String] {
        let path = self.path.appending(key)
        let isRequired = fallback == nil
        let shown = fallback.map { $0.isEmpty ? "[]" : $0.joined(separator: ",") }
        self.ask(path, type: "a list of texts", defaultText: shown, isRequired: isRequired, help: help)
        guard let setting = self.found(path, isRequired: isRequired) else { return fallback ?? [] }
        switch setting.content {
        case .scalar(let text):
            return text.split(separator: ",").map { Self.trimmed($0) }.filter { !$0.isEmpty }
        case .list(let nodes):
            return nodes.enumerated().compactMap { index, node in
                if case .scalar(let text) = node.content { return text }
                self.report(
                    path.appending(entry: index),
                    at: self.location(of: node),
                    "must be text, not \(node.kind)"
                )
                return nil
            }
        case .mapping, .nothing:
            self.report(path, at: setting.location, "must be a list of texts, not \(setting.kind)")
            return fallback ?? []
        }
    }

    /// Reads a list of groups by calling `body` with a reader for each group. A missing list counts as an
    /// empty one.
    ///
    /// For an empty list `body` is called once, with a reader that finds nothing and records no faults, so
    /// that the documentation is complete. The result of that call is dropped.
    ///
    /// - Parameter least: the smallest number of groups. Fewer are a fault.
    package func each<Element>(
        _ key: String,
        atLeast least: Int = 0,
        help: String,
        _ body: (SettingsReader) -> Element
    ) -> [Element] {
        let path = self.path.appending(key)
        self.notebook.asked(forGroup: path)
        self.notebook.document(
            SettingDocumentation(
                key: path.pattern + "[]",
                environmentName: nil,
                type: "a list of groups",
                defaultText: nil,
                isRequired: least > 0,
                help: help
            )
        )
        let nodes = self.groups(at: path, atLeast: least)
        guard let nodes, !nodes.isEmpty else {
            _ = body(self.child(at: path.appending(entry: 0), isRehearsal: true))
            return []
        }
        return nodes.enumerated().compactMap { index, node in
            let entry = path.appending(entry: index)
            self.notebook.asked(forGroup: entry)
            guard case .mapping = node.content else {
                self.report(
                    entry,
                    at: self.location(of: node),
                    "must be a group of settings, not \(node.kind)"
                )
                return nil
            }
            return body(self.child(at: entry, isRehearsal: self.isRehearsal))
        }
    }

    private func groups(at path: SettingsPath, atLeast least: Int) -> [SettingsNode]? {
        guard let setting = self.findInFile(path) else {
            if !self.groupIsMisplaced(above: path), least > 0 {
                self.report(path, at: self.location(ofMissing: path), "must be a list of at least \(least)")
            }
            return nil
        }
        guard case .list(let nodes) = setting.content else {
            self.report(path, at: setting.location, "must be a list of groups, not \(setting.kind)")
            return nil
        }
        if nodes.count < least {
            self.report(path, at: setting.location, "must be a list of at least \(least)")
        }
        return nodes
    }

    private func location(of node: SettingsNode) -> SettingsFault.Location {
        self.file.map { .file(path: $0.path, line: node.line, column: node.column) } ?? .nowhere
    }

    private static func trimmed(_ text: Substring) -> String {
        let start = text.drop { $0 == " " }
        return String(start.prefix(start.count - start.reversed().prefix { $0 == " " }.count))
    }
}
