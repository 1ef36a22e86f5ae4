/// Collects what a reader and its sections have found: documentation, faults, and the names that were asked
/// for.
final class SettingsNotebook {
    private(set) var documentation: [SettingDocumentation] = []
    private var documentedKeys: Set<String> = []
    private var faults: Set<SettingsFault> = []
    /// The URLs of the settings, by the name of the setting, in the order in which they were asked for.
    private(set) var urls: [(key: String, url: String)] = []
    private var settings: Set<SettingsPath> = []
    /// The paths above every setting, and the lists whose entries contain settings of their own.
    private var groups: Set<SettingsPath> = []

    var sortedFaults: [SettingsFault] {
        self.faults.sorted { Self.rank($0) < Self.rank($1) }
    }

    func report(_ fault: SettingsFault) {
        self.faults.insert(fault)
    }

    func noteURL(_ url: String, of path: SettingsPath) {
        if !self.urls.contains(where: { $0.key == path.description }) {
            self.urls.append((path.description, url))
        }
    }

    func asked(for path: SettingsPath) {
        self.settings.insert(path)
        self.asked(forGroup: path.parent)
    }

    func asked(forGroup path: SettingsPath) {
        var group = path
        while self.groups.insert(group).inserted, !group.steps.isEmpty {
            group = group.parent
        }
    }

    /// Records the description of a setting. All entries of a list share one description.
    func document(_ setting: SettingDocumentation) {
        guard self.documentedKeys.insert(setting.key).inserted else { return }
        self.documentation.append(setting)
    }

    func reportUnknown(in file: SettingsFile) {
        self.reportUnknown(in: file.root, at: SettingsPath(), of: file)
    }

    private func reportUnknown(in node: SettingsNode, at path: SettingsPath, of file: SettingsFile) {
        switch node.content {
        case .nothing, .scalar: return
        case .list(let nodes):
            for (index, node) in nodes.enumerated() {
                let entry = path.appending(entry: index)
                if self.groups.contains(entry) { self.reportUnknown(in: node, at: entry, of: file) }
            }
        case .mapping(let entries):
            for entry in entries {
                let path = SettingsPath(steps: path.steps + [.name(entry.name)])
                if self.settings.contains(path) { continue }
                if self.groups.contains(path) {
                    self.reportUnknown(in: entry.value, at: path, of: file)
                    continue
                }
                let location = SettingsFault.Location.file(
                    path: file.path,
                    line: entry.line,
                    column: entry.column
                )
                let problem = "unknown setting" + self.suggestion(for: entry.name, under: path.parent)
                self.report(SettingsFault(location: location, key: path.description, problem: problem))
            }
        }
    }

    /// Returns a suggestion for an unknown name: a setting of the group whose name is almost the same, or a
    /// setting of exactly this name elsewhere.
    private func suggestion(for name: String, under parent: SettingsPath) -> String {
        let known = self.settings.union(self.groups)
        let neighbours = known.compactMap { path -> String? in
            guard path.parent == parent, case .name(let name)? = path.steps.last else { return nil }
            return name
        }
        if let neighbour = Spelling.nearest(to: name, among: neighbours) {
            return "; did you mean \(parent.appending(neighbour))?"
        }
        let namesakes = self.settings.filter { $0.steps.last == .name(name) }.map(\.pattern)
        return namesakes.min().map { "; did you mean \($0)?" } ?? ""
    }

    /// Sorts faults of overrides before those of the file, and these from top to bottom.
    private static func rank(_ fault: SettingsFault) -> (Int, Int, Int, String) {
        switch fault.location {
        case .nowhere: (0, 0, 0, fault.description)
        case .override: (1, 0, 0, fault.description)
        case .wholeFile: (2, 0, 0, fault.description)
        case .file(_, let line, let column): (3, line, column, fault.description)
        }
    }
}
