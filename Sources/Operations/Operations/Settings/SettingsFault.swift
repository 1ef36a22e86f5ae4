/// One fault in the settings, as a sentence that also says where it is.
///
/// The sentence names keys and says what a value must be. It never shows a value, because any value may be a
/// secret in the wrong place.
package struct SettingsFault: Hashable, Sendable, CustomStringConvertible {
    /// The place of a setting, or the place where it should have been.
    package enum Location: Hashable, Sendable {
        /// A line and a column of a file, both counted from 1.
        case file(path: String, line: Int, column: Int)
        /// A file as a whole.
        case wholeFile(path: String)
        /// An environment variable, or the name that another provider has for the setting.
        case override(name: String)
        /// No place, because there is no file.
        case nowhere
    }

    /// How bad the fault is. A program starts despite warnings.
    package enum Severity: Hashable, Sendable {
        case warning, fault
    }

    /// How bad the fault is.
    package var severity: Severity = .fault
    /// The place that has to be corrected.
    package var location: Location
    /// The name of the setting, as `kafka.brokers`; nil if the fault is not about a single setting.
    package var key: String?
    /// The fault in words, as the end of a sentence that begins with the key.
    package var problem: String

    /// The fault on one line. Line ends and control characters are written as `\u{a}`: a name in the file may have them.
    package var description: String {
        self.sentence.unicodeScalars.reduce(into: "") { line, scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator:
                line += "\\u{\(String(scalar.value, radix: 16))}"
            default: line.unicodeScalars.append(scalar)
            }
        }
    }

    private var sentence: String {
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

/// All faults of the settings together: those of overrides first, then the file from top to bottom.
package struct SettingsFaults: Error, Hashable, Sendable, CustomStringConvertible {
    /// The faults, warnings included.
    package let faults: [SettingsFault]

    /// Makes an error of these faults, which must not be empty.
    package init(_ faults: [SettingsFault]) {
        self.faults = faults
    }

    /// The sentences of all faults, one on each line.
    package var description: String {
        self.faults.map(\.description).joined(separator: "\n")
    }
}
