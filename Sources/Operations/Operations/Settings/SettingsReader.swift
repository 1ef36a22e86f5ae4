package import Configuration

/// Reads settings by name and type, and collects all faults instead of stopping at the first.
///
/// The environment takes precedence over the file: `FLOTILLA_KAFKA_BROKERS` overrides `kafka.brokers`.
/// Because of the prefix, a variable such as `LOG_LEVEL` of another program is not read as one of ours. An
/// environment variable that is empty counts as not set.
///
/// Every accessor returns a value of its type, even if the setting has a fault. The caller may use these
/// values only after `finish()` has returned, and must call it when it has asked for all settings. A reader
/// is used by one task, when the program starts.
package final class SettingsReader {
    let path: SettingsPath
    let notebook: SettingsNotebook
    /// Whether a list without entries is being read only to learn which settings an entry could contain.
    /// Nothing is found then, and no fault is recorded.
    let isRehearsal: Bool

    private let overrides: [any ConfigProvider]
    let file: SettingsFile?

    /// Makes a reader of a file and its overrides. The overrides take precedence over the file, and the first
    /// override over the others.
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

    /// The description of every setting that was asked for so far, in the order of the first request.
    package var documentation: [SettingDocumentation] {
        self.notebook.documentation
    }

    /// Returns a reader for the settings below `key`. It shares its faults and its documentation with this
    /// reader.
    package func section(_ key: String) -> SettingsReader {
        self.child(at: self.path.appending(key), isRehearsal: self.isRehearsal)
    }

    /// Records a fault that only the caller can find, such as two settings that exclude each other.
    package func reportFault(_ key: String, _ problem: String) {
        let path = self.path.appending(key)
        self.report(path, at: self.find(path)?.location ?? self.location(ofMissing: path), problem)
    }

    /// Records a warning that only the caller can give: nothing is wrong, but the operator should know of it.
    package func reportWarning(_ key: String, _ problem: String) {
        let path = self.path.appending(key)
        let location = self.find(path)?.location ?? self.location(ofMissing: path)
        self.report(path, at: location, problem, severity: .warning)
    }

    /// Ends the reading. Settings in the file that no code has asked for are faults too.
    ///
    /// - Returns: the warnings.
    /// - Throws: all faults and warnings, if there is at least one fault.
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

/// A setting that is present, with its content and its place.
struct FoundSetting {
    var content: SettingsNode.Content
    var location: SettingsFault.Location
    var isOverride: Bool
}

extension SettingsReader {
    /// Looks up a setting, in the overrides first.
    func find(_ path: SettingsPath) -> FoundSetting? {
        guard !self.isRehearsal else { return nil }
        return self.findOverride(path) ?? self.findInFile(path)
    }

    func findOverride(_ path: SettingsPath) -> FoundSetting? {
        guard !self.isRehearsal else { return nil }
        for provider in self.overrides {
            // A provider may hold a value of another type under this name. Such a value overrides nothing.
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

    /// Returns the place where an absent setting would be: the group that contains its neighbours.
    func location(ofMissing path: SettingsPath) -> SettingsFault.Location {
        guard let file = self.file else { return .nowhere }
        let (found, deepest, depth) = file.find(path)
        guard found != nil || depth > 0 else { return .wholeFile(path: file.path) }
        return .file(path: file.path, line: deepest.line, column: deepest.column)
    }

    /// Returns true if a single value or a list stands where a group should be. This is recorded as one fault
    /// instead of one for every setting of the group.
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

    /// Returns the name of the environment variable: `FLOTILLA_GDT_APPS_0_SIGN_KEY`. In documentation the
    /// index of an entry is written as `<n>`.
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
