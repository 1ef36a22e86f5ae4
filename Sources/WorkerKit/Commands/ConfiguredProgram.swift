/// What has settings in a file and the environment.
package protocol ConfiguredProgram {
    /// Reads them.
    ///
    /// - Returns: what is not wrong but worth a word, a line each.
    /// - Throws: `SettingsFaults` with everything that is wrong.
    static func check(path: String?) throws -> [String]

    /// Every setting there is, as a Markdown table.
    static var settingsTable: String { get }
}

extension WorkerProgram {
    package static func check(path: String?) throws -> [String] {
        try LoadedProgram<Self>(path: path).warnings
    }

    package static var settingsTable: String { SettingsTable<Self>.markdown }
}
