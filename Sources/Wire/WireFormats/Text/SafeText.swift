/// Shows a text, or any bytes, on one line of a terminal. No character of the result can move the cursor, end
/// the line, change the direction of the text after it, or be invisible.
///
/// A character that is not printed as itself is written as an escape: `\n`, `\t`, `\r`, `\\`, `\u{1b}`, and
/// `\xff` for a byte that is not UTF-8. The log's JSONText has a list of its own, because that target imports
/// no other and needs only JSON's escapes. A test verifies that every character that the log escapes is
/// escaped here too.
package enum SafeText {
    /// Returns a text as one safe line.
    ///
    /// - Parameter limit: Unicode scalars of the line, an escape counted as it is written. A longer line is
    ///   cut, and a `…` follows.
    package static func line(_ text: some StringProtocol, limit: Int = 1_024) -> String {
        var line = Line(limit: limit)
        for scalar in text.unicodeScalars where !line.append(scalar) { break }
        return line.text
    }

    /// Returns bytes as one safe line; they are read as UTF-8.
    package static func line(of bytes: some Collection<UInt8>, limit: Int = 1_024) -> String {
        var line = Line(limit: limit)
        // A Unicode scalar has at most four bytes.
        var rest = Array(bytes.prefix(limit < Int.max / 8 ? (max(0, limit) + 1) * 4 : .max))[...]
        while let first = rest.first {
            guard let scalar = Self.scalar(rest) else {
                guard line.append(byte: first) else { break }
                rest = rest.dropFirst()
                continue
            }
            guard line.append(scalar) else { break }
            rest = rest.dropFirst(UTF8.width(scalar))
        }
        return line.text
    }

    /// Returns whether a character is written as an escape, in every text that is shown.
    package static func isTreacherous(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return scalar.value < 0x20 || scalar.value == 0x7F }
        // The default ignorable code points: zero-width characters, fillers, and the marks that select a
        // variant of a character.
        if scalar.properties.isDefaultIgnorableCodePoint { return true }
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
            return true
        default:
            return false
        }
    }

    /// Returns the Unicode scalar that the bytes begin with; nil if they begin with none.
    private static func scalar(_ bytes: ArraySlice<UInt8>) -> Unicode.Scalar? {
        guard let first = bytes.first else { return nil }
        let width: Int
        switch first {
        case 0x00...0x7F: return Unicode.Scalar(first)
        case 0xC2...0xDF: width = 2
        case 0xE0...0xEF: width = 3
        case 0xF0...0xF4: width = 4
        default: return nil
        }
        guard bytes.count >= width else { return nil }
        return String(validating: bytes.prefix(width), as: UTF8.self)?.unicodeScalars.first
    }

    private struct Line {
        var text = ""
        private var room: Int

        init(limit: Int) { self.room = limit }

        mutating func append(_ scalar: Unicode.Scalar) -> Bool {
            switch scalar {
            case "\\": self.append("\\\\")
            case "\n": self.append("\\n")
            case "\r": self.append("\\r")
            case "\t": self.append("\\t")
            case _ where SafeText.isTreacherous(scalar):
                self.append("\\u{\(String(scalar.value, radix: 16))}")
            default: self.append(String(scalar))
            }
        }

        mutating func append(byte: UInt8) -> Bool {
            self.append("\\x" + (byte < 0x10 ? "0" : "") + String(byte, radix: 16))
        }

        /// Appends a shown character; returns false once there is no more room.
        private mutating func append(_ shown: String) -> Bool {
            let width = shown.unicodeScalars.count
            guard width <= self.room else {
                self.text += "…"
                return false
            }
            self.room -= width
            self.text += shown
            return true
        }
    }
}
