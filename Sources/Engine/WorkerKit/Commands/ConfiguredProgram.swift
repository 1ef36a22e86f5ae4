/// A program that has settings in a file and the environment.
package protocol ConfiguredProgram {
    /// Reads the settings, and reports what is wrong with them.
    ///
    /// - Parameter path: The settings file; nil for the environment alone.
    /// - Returns: Remarks on settings that are not wrong, a line each.
    /// - Throws: `SettingsFaults` with everything that is wrong.
    static func check(path: String?) throws -> [String]

    /// Every setting of the program, as a Markdown table.
    static var settingsTable: String { get }
}

extension WorkerProgram {
    package static func check(path: String?) throws -> [String] {
        try LoadedProgram<Self>(path: path).warnings
    }

    package static var settingsTable: String { SettingsTable<Self>.markdown }
}
