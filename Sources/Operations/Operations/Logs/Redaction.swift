/// Replaces values that must not be readable by a keyed hash: `#` and twelve hexadecimal digits.
///
/// Equal values get equal marks, so an engineer can follow one device through the log without learning its
/// number. The salt is random unless one is configured. Without the salt, marks of two processes cannot be
/// compared, and no mark can be found by trying a list of all devices.
package struct Redaction: Sendable {
    /// A keyed hash such as HMAC-SHA256. It takes a key and bytes, and returns a digest of at least six
    /// bytes.
    package typealias KeyedHash = @Sendable (_ key: [UInt8], _ bytes: [UInt8]) -> [UInt8]

    private let salt: [UInt8]
    private let hash: KeyedHash

    /// Makes marks with a configured salt. They stay the same across processes and restarts.
    package init(salt: Secret, hash: @escaping KeyedHash) {
        self.salt = salt.revealBytes()
        self.hash = hash
    }

    /// Makes marks with a random salt that only this process has.
    package init(hash: @escaping KeyedHash) {
        var generator = SystemRandomNumberGenerator()
        self.salt = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        self.hash = hash
    }

    /// Returns the mark of a text.
    package func mark(_ text: some StringProtocol) -> String {
        self.mark(Array(text.utf8))
    }

    /// Returns the mark of bytes; `#redacted` if the digest is too short.
    package func mark(_ bytes: [UInt8]) -> String {
        let digest = self.hash(self.salt, bytes)
        guard digest.count >= 6 else { return "#redacted" }
        let digits = Array("0123456789abcdef".utf8)
        let hex = digest.prefix(6).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 0xF)]] }
        return "#" + String(decoding: hex, as: UTF8.self)
    }
}
