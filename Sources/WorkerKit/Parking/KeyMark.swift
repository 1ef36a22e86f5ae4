internal import Cryptography

/// Stands for the key of a parked record: the first 128 bits of its SHA-256.
///
/// A key can be a megabyte, and is chosen by whoever publishes. Nobody can find one that has the mark of somebody else's
/// key, and so have his own records stand in front of that one's.
package struct KeyMark: Hashable, Sendable {
    private let high: UInt64
    private let low: UInt64

    package init(_ key: [UInt8]) {
        let digest = Digest.sha256(key)
        func number(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
        self.high = number(digest.prefix(8))
        self.low = number(digest.dropFirst(8).prefix(8))
    }

    /// 32 hexadecimal digits.
    package var text: String { Self.text(of: self.high) + Self.text(of: self.low) }

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
