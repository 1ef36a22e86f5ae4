internal import Cryptography

/// The mark that stands for the key of a parked record: the first 128 bits of the key's SHA-256.
///
/// A key can be a megabyte long, and its publisher chooses it. No publisher can find a key that has the mark
/// of another publisher's key, and so put its own records in front of the other's.
package struct KeyMark: Hashable, Sendable {
    private let high: UInt64
    private let low: UInt64

    /// Makes the mark of a key.
    package init(_ key: [UInt8]) {
        let digest = Digest.sha256(key)
        func number(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
        self.high = number(digest.prefix(8))
        self.low = number(digest.dropFirst(8).prefix(8))
    }

    /// The mark as 32 hexadecimal digits.
    package var text: String { Self.text(of: self.high) + Self.text(of: self.low) }

    /// Reads 32 hexadecimal digits; nil if the text is anything else.
    package init?(_ text: some StringProtocol) {
        guard text.utf8.count == 32, let high = UInt64(text.prefix(16), radix: 16),
            let low = UInt64(text.dropFirst(16), radix: 16)
        else { return nil }
        self.high = high
        self.low = low
    }

    private static func text(of number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
