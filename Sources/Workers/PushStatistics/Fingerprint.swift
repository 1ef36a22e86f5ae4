import Cryptography

/// The first 81 bits of the SHA-256 of a device id. The worker holds and stores these instead of the id.
///
/// If one message goes to ten million devices, two of them have the same fingerprint with a probability of 2
/// in 10^11.
package struct Fingerprint: Hashable, Sendable {
    /// The first 64 bits of the hash.
    package var high: UInt64
    /// The next bits of the hash, in the lowest `lowBits` bits. All other bits are 0.
    package var low: UInt64

    /// The number of bits in `low`.
    package static let lowBits: UInt64 = 17

    /// Creates a fingerprint from its two words. Bits of `low` beyond `lowBits` are dropped.
    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low & (1 << Self.lowBits - 1)
    }
}

/// A maker of fingerprints that uses the same memory for each. It belongs to one thread.
package final class FingerprintMachine {
    private let machine = DigestMachine()
    private var digest: [UInt8] = []

    /// Creates a machine with its own OpenSSL context.
    package init() {}

    /// Returns the fingerprint of a text, usually a device id.
    package func callAsFunction(_ identity: String) -> Fingerprint {
        let utf8 = identity.utf8
        self.machine(utf8.span, into: &self.digest)
        return Fingerprint(high: self.word(at: 0), low: self.word(at: 8))
    }

    private func word(at start: Int) -> UInt64 {
        var word: UInt64 = 0
        for place in start..<(start + 8) { word = word << 8 | UInt64(self.digest[place]) }
        return word
    }
}
