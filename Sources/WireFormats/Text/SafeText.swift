/// Shows any text, or any bytes, on one line of a terminal: nothing in it can move the cursor, end the line, turn the
/// direction of what follows, or hide.
///
/// What does not print as itself is written as an escape: `\n`, `\t`, `\r`, `\\`, `\u{1b}`, and `\xff` for a byte that
/// is no Unicode. The log has a list of its own (JSONText): it knows no other target, and the escapes of JSON are all
/// that it needs. A test holds that whatever the log escapes is escaped here too.
package enum SafeText {
    /// - Parameter limit: characters of the line, escapes counted as they are written. What is cut off is a `…`.
    package static func line(_ text: some StringProtocol, limit: Int = 1_024) -> String {
        var line = Line(limit: limit)
        for scalar in text.unicodeScalars where !line.append(scalar) { break }
        return line.text
    }

    /// Bytes as the UTF-8 that they mostly are.
    package static func line(of bytes: some Collection<UInt8>, limit: Int = 1_024) -> String {
        var line = Line(limit: limit)
        // No character has more than four bytes.
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

    /// Whether a character is written as an escape, in every text that is shown.
    package static func isTreacherous(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return scalar.value < 0x20 || scalar.value == 0x7F }
        // Zero-width characters and fillers of all kinds, and the marks that choose between two looks of a character.
        if scalar.properties.isDefaultIgnorableCodePoint { return true }
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
            return true
        default:
            return false
        }
    }

    /// The character that bytes begin with; nil if that is none.
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

        /// False once there is no more room.
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
