import Cryptography

/// Compares secrets in a time that does not depend on their content, so that an attacker cannot guess them
/// byte by byte.
package struct ConstantTime: Sendable {
    /// Makes digests under a random key. The digests are compared instead of the values, so that the time
    /// shows neither length nor content.
    private let authentication = MessageAuthentication(key: Self.randomBytes(32))

    /// Creates a comparison with a new random key.
    package init() {}

    /// Whether two byte strings are equal.
    package func areEqual(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        let (one, other) = (self.authentication(one), self.authentication(other))
        var difference = UInt8(truncatingIfNeeded: one.count ^ other.count)
        for (left, right) in zip(one, other) { difference |= left ^ right }
        return difference == 0
    }

    /// Returns random bytes that are fit for keys and tokens, from the system's generator.
    package static func randomBytes(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }
}
