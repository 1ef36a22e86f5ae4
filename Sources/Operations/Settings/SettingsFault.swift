/// One thing wrong with the settings, as a sentence that says where.
///
/// It names keys and says what a value must be, and never shows a value: any of them may be a secret in the wrong
/// place.
package struct SettingsFault: Hashable, Sendable, CustomStringConvertible {
    /// Where a setting came from, or should have come from.
    package enum Location: Hashable, Sendable {
        case file(path: String, line: Int, column: Int)
        case wholeFile(path: String)
        /// An environment variable, or another provider's name for the setting.
        case override(name: String)
        case nowhere
    }

    package enum Severity: Hashable, Sendable {
        case warning, fault
    }

    package var severity: Severity = .fault
    package var location: Location
    /// The setting, as `kafka.brokers`; nil if the fault is not about one.
    package var key: String?
    /// What is wrong, as the end of a sentence that begins with the key.
    package var problem: String

    package var description: String {
        let subject = self.key.map { "\($0): " } ?? ""
        let mark = self.severity == .warning ? "warning: " : ""
        switch self.location {
        case .file(let path, let line, let column):
            return "\(path):\(line):\(column): \(mark)\(subject)\(self.problem)"
        case .wholeFile(let path): return "\(path): \(mark)\(subject)\(self.problem)"
        case .override(let name): return "\(name): \(mark)\(self.problem)"
        case .nowhere: return "\(mark)\(subject)\(self.problem)"
        }
    }
}

/// Everything wrong with the settings, at once, in the order of the file.
package struct SettingsFaults: Error, Hashable, Sendable, CustomStringConvertible {
    package let faults: [SettingsFault]

    package init(_ faults: [SettingsFault]) {
        self.faults = faults
    }

    /// One line per fault.
    package var description: String {
        self.faults.map(\.description).joined(separator: "\n")
    }
}
