/// The texts of names and strings in JSON.
package enum JSONText {
    /// The three bytes of a byte order mark in UTF-8.
    package static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// Returns the inside of a string without its escapes. Half of a surrogate pair of escapes is not Unicode,
    /// and becomes U+FFFD; other bytes stay as they are.
    static func unescaped(_ text: ArraySlice<UInt8>) -> [UInt8] { self.unescaped(text) { _ in } }

    /// Returns the inside of a string without its escapes; nil if it has half of a surrogate pair.
    static func strictlyUnescaped(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        var isWhole = true
        let bytes = self.unescaped(text) { isWhole = $0 != nil && isWhole }
        return isWhole ? bytes : nil
    }

    private static func unescaped(
        _ text: ArraySlice<UInt8>,
        _ found: (Unicode.Scalar?) -> Void
    ) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var rest = text
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\"), let escape = rest.popFirst() else {
                bytes.append(byte)
                continue
            }
            switch escape {
            case UInt8(ascii: "b"): bytes.append(0x08)
            case UInt8(ascii: "f"): bytes.append(0x0C)
            case UInt8(ascii: "n"): bytes.append(0x0A)
            case UInt8(ascii: "r"): bytes.append(0x0D)
            case UInt8(ascii: "t"): bytes.append(0x09)
            case UInt8(ascii: "u"):
                let scalar = self.scalar(&rest)
                found(scalar)
                bytes += String(scalar ?? "\u{FFFD}").utf8
            default: bytes.append(escape)
            }
        }
        return bytes
    }

    /// Reads an escape from behind its `u` on; nil for half of a surrogate pair.
    private static func scalar(_ rest: inout ArraySlice<UInt8>) -> Unicode.Scalar? {
        let first = self.codeUnit(rest)
        rest = rest.dropFirst(4)
        guard UTF16.isLeadSurrogate(first), rest.starts(with: [UInt8(ascii: "\\"), UInt8(ascii: "u")]) else {
            return Unicode.Scalar(first)
        }
        let second = self.codeUnit(rest.dropFirst(2))
        guard UTF16.isTrailSurrogate(second) else { return nil }
        rest = rest.dropFirst(6)
        return Unicode.Scalar(0x10000 + (UInt32(first) & 0x3FF) << 10 + UInt32(second) & 0x3FF)
    }

    /// Returns the number that the first four hexadecimal digits write.
    static func codeUnit(_ digits: ArraySlice<UInt8>) -> UInt16 {
        digits.prefix(4).reduce(0) { $0 << 4 | UInt16($1.hexadecimalValue ?? 0) }
    }
}
