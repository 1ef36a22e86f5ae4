/// Bytes as `hexdump -C` writes them: where they stand, their digits, and those of them that print.
package struct HexDump: Sendable {
    /// Of bytes that are written.
    package static let bytesLimit = 4_096

    /// 16 bytes each.
    package let lines: [String]
    /// Bytes that are not among them.
    package let left: Int

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
