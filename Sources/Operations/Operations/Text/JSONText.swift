/// Writes JSON strings as bytes, so that no text from outside can end a line or begin an escape sequence.
///
/// In addition to the characters that JSON requires, it escapes those that a terminal or a log viewer could
/// take for a command: DEL, the C1 controls, line separators, and the marks that change the direction of
/// text.
package enum JSONText {
    /// Appends `text` in quotation marks. Returns whether the text was cut with `…`, which happens when its
    /// escaped bytes reach `limit`.
    @discardableResult
    package static func appendQuoted(
        _ text: some StringProtocol,
        to bytes: inout [UInt8],
        limit: Int = .max
    ) -> Bool {
        bytes.append(UInt8(ascii: "\""))
        let truncated = Self.appendEscaped(text, to: &bytes, limit: limit, quotes: true)
        bytes.append(UInt8(ascii: "\""))
        return truncated
    }

    /// Appends `text` without quotation marks around it. Quotation marks inside it are escaped only if
    /// `quotes` is true. Returns whether the text was cut.
    @discardableResult
    static func appendEscaped(
        _ text: some StringProtocol,
        to bytes: inout [UInt8],
        limit: Int = .max,
        quotes: Bool
    ) -> Bool {
        let start = bytes.count
        for scalar in text.unicodeScalars {
            if bytes.count - start >= limit {
                bytes.append(contentsOf: "…".utf8)
                return true
            }
            switch scalar {
            case "\"" where quotes: bytes.append(contentsOf: #"\""#.utf8)
            case "\\": bytes.append(contentsOf: #"\\"#.utf8)
            case "\n": bytes.append(contentsOf: #"\n"#.utf8)
            case "\r": bytes.append(contentsOf: #"\r"#.utf8)
            case "\t": bytes.append(contentsOf: #"\t"#.utf8)
            case _ where Self.isTreacherous(scalar):
                let hex = String(scalar.value, radix: 16)
                bytes.append(contentsOf: #"\u"#.utf8)
                bytes.append(contentsOf: repeatElement(UInt8(ascii: "0"), count: 4 - hex.utf8.count))
                bytes.append(contentsOf: hex.utf8)
            default:
                bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
            }
        }
        return false
    }

    /// Returns whether a character is written as `\uXXXX`. The code points of all these characters fit into
    /// four digits.
    static func isTreacherous(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x00...0x1F, 0x7F...0x9F, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF: true
        default: false
        }
    }
}
