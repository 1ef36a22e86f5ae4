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
    private var bytes: [UInt8] = []
    private var digest: [UInt8] = []

    package init() {}

    package func callAsFunction(_ identity: some Sequence<UInt8>) -> Fingerprint {
        self.bytes.removeAll(keepingCapacity: true)
        self.bytes.append(contentsOf: identity)
        self.machine(self.bytes, into: &self.digest)
        var high: UInt64 = 0
        var low: UInt64 = 0
        for byte in self.digest.prefix(8) { high = high << 8 | UInt64(byte) }
        for byte in self.digest.dropFirst(8).prefix(8) { low = low << 8 | UInt64(byte) }
        return Fingerprint(high: high, low: low)
    }
}
