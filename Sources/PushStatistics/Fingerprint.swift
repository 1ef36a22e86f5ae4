import Cryptography

/// Which device, in 81 bits of a SHA-256: what is held and stored of a device id.
///
/// Of ten million devices that one message went to, two are taken for one with a probability of 2 in 10^11.
package struct Fingerprint: Hashable, Sendable {
    package var high: UInt64
    /// The lowest `lowBits` of it count.
    package var low: UInt64

    package static let lowBits: UInt64 = 17

    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low & (1 << Self.lowBits - 1)
    }
}

/// Makes fingerprints, one after the other in the same memory. Belongs to one thread.
package final class FingerprintMachine {
    private let machine = DigestMachine()
    private var digest: [UInt8] = []

    package init() {}

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
