package import Configuration

/// Reads settings by name and type, and collects every fault on the way instead of stopping at the first.
///
/// The environment stands before the file: `FLOTILLA_KAFKA_BROKERS` overrides `kafka.brokers`. The prefix keeps a
/// `LOG_LEVEL` that was meant for somebody else from being taken for ours. An environment variable that is
/// empty counts as not set. An accessor always returns something of its type; whether it means anything is known after
/// `finish()`, which must be called once all settings have been asked for. Used by one task, at start.
package final class SettingsReader {
    let path: SettingsPath
    let notebook: SettingsNotebook
    /// True while a list without entries is read only to learn what its entries could hold.
    let isRehearsal: Bool

    private let overrides: [any ConfigProvider]
    let file: SettingsFile?

    /// `overrides` come before the file, the first one first.
    package convenience init(
        file: SettingsFile?,
        overrides: [any ConfigProvider] = [EnvironmentVariablesProvider()]
    ) {
        self.init(
            path: SettingsPath(),
            notebook: SettingsNotebook(),
            isRehearsal: false,
            overrides: overrides,
            file: file
        )
    }

    private init(
        path: SettingsPath,
        notebook: SettingsNotebook,
        isRehearsal: Bool,
        overrides: [any ConfigProvider],
        file: SettingsFile?
    ) {
        self.path = path
        self.notebook = notebook
        self.isRehearsal = isRehearsal
        self.overrides = overrides
        self.file = file
    }

    /// Every setting asked for so far, in the order of the first question.
    package var documentation: [SettingDocumentation] {
        self.notebook.documentation
    }

    /// A reader for what lies under `key`. It shares its faults and documentation with this one.
    package func section(_ key: String) -> SettingsReader {
        self.child(at: self.path.appending(key), isRehearsal: self.isRehearsal)
    }

    /// Records something wrong that only the caller can see, as two settings that exclude each other.
    package func reportFault(_ key: String, _ problem: String) {
        let path = self.path.appending(key)
        self.report(path, at: self.find(path)?.location ?? self.location(ofMissing: path), problem)
    }

    /// Records what is not wrong, but worth a word that only the caller can say.
    package func reportWarning(_ key: String, _ problem: String) {
        let path = self.path.appending(key)
        let location = self.find(path)?.location ?? self.location(ofMissing: path)
        self.report(path, at: location, problem, severity: .warning)
    }

    /// Throws all faults, if there are any, and returns the warnings. Settings nobody has asked for are faults too.
    @discardableResult
    package func finish() throws(SettingsFaults) -> [SettingsFault] {
        if let file {
            self.notebook.reportUnknown(in: file)
        }
        let faults = self.notebook.sortedFaults
        guard faults.allSatisfy({ $0.severity == .warning }) else { throw SettingsFaults(faults) }
        return faults
    }

    func child(at path: SettingsPath, isRehearsal: Bool) -> SettingsReader {
        SettingsReader(
            path: path,
            notebook: self.notebook,
            isRehearsal: isRehearsal,
            overrides: self.overrides,
            file: self.file
        )
    }
}

/// A setting that is there: what it says, and where.
struct FoundSetting {
    var content: SettingsNode.Content
    var location: SettingsFault.Location
    var isOverride: Bool
}

extension SettingsReader {
    /// Looks the setting up, overrides first.
    func find(_ path: SettingsPath) -> FoundSetting? {
        guard !self.isRehearsal else { return nil }
        return self.findOverride(path) ?? self.findInFile(path)
    }

    func findOverride(_ path: SettingsPath) -> FoundSetting? {
        guard !self.isRehearsal else { return nil }
        for provider in self.overrides {
            // A provider that holds another type than text under this name does not override with it.
            guard let result = try? provider.value(forKey: path.environmentKey, type: .string),
                case .string(let text)? = result.value?.content, !text.isEmpty
            else { continue }
            let location = SettingsFault.Location.override(name: result.encodedKey)
            return FoundSetting(content: .scalar(text), location: location, isOverride: true)
        }
        return nil
    }

    func findInFile(_ path: SettingsPath) -> FoundSetting? {
        guard !self.isRehearsal, let file, let node = file.find(path).found else { return nil }
        if case .nothing = node.content { return nil }
        let location = SettingsFault.Location.file(path: file.path, line: node.line, column: node.column)
        return FoundSetting(content: node.content, location: location, isOverride: false)
    }

    /// Where a setting that is not there would be: in the group that holds its neighbours.
    func location(ofMissing path: SettingsPath) -> SettingsFault.Location {
        guard let file = self.file else { return .nowhere }
        let (found, deepest, depth) = file.find(path)
        guard found != nil || depth > 0 else { return .wholeFile(path: file.path) }
        return .file(path: file.path, line: deepest.line, column: deepest.column)
    }

    /// True if a value stands where a group should be. That is one fault, and not one for every setting of the group.
    func groupIsMisplaced(above path: SettingsPath) -> Bool {
        guard let file = self.file, !self.isRehearsal else { return false }
        let (found, deepest, depth) = file.find(path)
        guard found == nil, depth < path.steps.count else { return false }
        switch deepest.content {
        case .nothing, .mapping: return false
        case .list where depth < path.steps.count && path.steps[depth].isEntry: return false
        case .scalar, .list:
            let group = SettingsPath(steps: Array(path.steps.prefix(depth)))
            let location = SettingsFault.Location.file(
                path: file.path,
                line: deepest.line,
                column: deepest.column
            )
            self.report(group, at: location, "must be a group of settings, not \(deepest.kind)")
            return true
        }
    }

    func report(
        _ path: SettingsPath,
        at location: SettingsFault.Location,
        _ problem: String,
        severity: SettingsFault.Severity = .fault
    ) {
        guard !self.isRehearsal else { return }
        self.notebook.report(
            SettingsFault(severity: severity, location: location, key: path.description, problem: problem)
        )
    }

    /// `FLOTILLA_GDT_APPS_0_SIGN_KEY`; in documentation the number of an entry is `<n>`.
    func environmentName(of path: SettingsPath, documented: Bool = false) -> String {
        let encoder = EnvironmentVariablesProvider(environmentVariables: [:])
        let words = path.steps.map { step in
            switch step {
            case .entry(let index): return documented ? "<n>" : String(index)
            case .name(let name):
                let result = try? encoder.value(forKey: AbsoluteConfigKey([name]), type: .string)
                return result?.encodedKey ?? name.uppercased()
            }
        }
        return ([SettingsPath.environmentPrefix.uppercased()] + words).joined(separator: "_")
    }
}
