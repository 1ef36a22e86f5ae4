/// Bytes in the manner of `hexdump -C`: offset, hexadecimal digits, and the printable ASCII characters.
package struct HexDump: Sendable {
    /// The number of bytes that are written at most.
    package static let bytesLimit = 4_096

    /// The lines of the dump, with 16 bytes each; the last may have fewer.
    package let lines: [String]
    /// The number of bytes beyond `bytesLimit`, which no line shows.
    package let left: Int

    /// Writes the first 4,096 bytes as lines.
    package init(_ bytes: [UInt8]) {
        let shown = bytes.prefix(Self.bytesLimit)
        self.lines = stride(from: 0, to: shown.count, by: 16).map { start in
            Self.line(shown[start..<min(start + 16, shown.count)], at: start)
        }
        self.left = bytes.count - shown.count
    }

    private static func line(_ row: ArraySlice<UInt8>, at start: Int) -> String {
        let place = String(start, radix: 16)
        let digits = row.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: " ")
        let signs = row.map { 0x20...0x7E ~= $0 ? String(Unicode.Scalar($0)) : "." }.joined()
        return String(repeating: "0", count: max(0, 6 - place.count)) + place + "  " + digits
            + String(repeating: " ", count: max(0, 47 - digits.count)) + "  " + signs
    }
}
