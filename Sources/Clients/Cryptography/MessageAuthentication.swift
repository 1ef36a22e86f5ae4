/// HMAC (RFC 2104) with SHA-256 or another digest, under one key.
///
/// The code is computed here from two digests, and the key's block for each of them is prepared once.
/// OpenSSL's own HMAC function looks its algorithm up anew for each call, which costs several times as much
/// as a short message.
package struct MessageAuthentication: Hashable, Sendable {
    private let digest: Digest
    private let inner: [UInt8]
    private let outer: [UInt8]

    /// Prepares a key of any length. As RFC 2104 says, a key longer than a block is replaced by its digest.
    package init(key: [UInt8], digest: Digest = .sha256) {
        self.digest = digest
        let blockByteCount = digest == .sha512 ? 128 : 64
        var block = key.count > blockByteCount ? digest(key) : key
        block += [UInt8](repeating: 0, count: blockByteCount - block.count)
        self.inner = block.map { $0 ^ 0x36 }
        self.outer = block.map { $0 ^ 0x5C }
    }

    /// Returns the bytes that authenticate this message, as many as the digest has.
    package func callAsFunction(_ message: [UInt8]) -> [UInt8] {
        self.digest(self.outer + self.digest(self.inner + message))
    }

    /// Replaces the content of `tag` by the 32 bytes that authenticate this message, computed in the memory
    /// of a machine. The digest must be SHA-256.
    package func callAsFunction(_ message: [UInt8], with machine: DigestMachine, into tag: inout [UInt8]) {
        machine(self.inner + message, into: &tag)
        machine(self.outer + tag, into: &tag)
    }
}

extension MessageAuthentication: CustomStringConvertible, CustomReflectable {
    package var description: String { "MessageAuthentication(key: redacted)" }

    package var customMirror: Mirror { Mirror(self, children: []) }
}
