import Cryptography

/// Compares what somebody could otherwise guess byte by byte, from how long the answer takes.
package struct ConstantTime: Sendable {
    /// Digests under a key that nobody knows are compared, so that neither length nor content shows in the time.
    private let authentication = MessageAuthentication(key: Self.randomBytes(32))

    package init() {}

    package func areEqual(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        let (one, other) = (self.authentication(one), self.authentication(other))
        var difference = UInt8(truncatingIfNeeded: one.count ^ other.count)
        for (left, right) in zip(one, other) { difference |= left ^ right }
        return difference == 0
    }

    /// From the system's own generator, which is one for secrets.
    package static func randomBytes(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }
}
