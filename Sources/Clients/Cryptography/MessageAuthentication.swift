/// HMAC with SHA-256 (RFC 2104), under one key.
///
/// The code is computed here from two digests, and the key's block for each of them is prepared once.
/// OpenSSL's own HMAC function looks its algorithm up anew for each call, which costs several times as much
/// as a short message.
package struct MessageAuthentication: Hashable, Sendable {
    private let inner: [UInt8]
    private let outer: [UInt8]

    /// The block size of SHA-256 in bytes.
    private static let blockByteCount = 64

    /// Prepares a key of any length. As RFC 2104 says, a key longer than a block is replaced by its digest.
    package init(key: [UInt8]) {
        var block = key.count > Self.blockByteCount ? Digest.sha256(key) : key
        block += [UInt8](repeating: 0, count: Self.blockByteCount - block.count)
        self.inner = block.map { $0 ^ 0x36 }
        self.outer = block.map { $0 ^ 0x5C }
    }

    /// Returns the 32 bytes that authenticate this message.
    package func callAsFunction(_ message: [UInt8]) -> [UInt8] {
        Digest.sha256(self.outer + Digest.sha256(self.inner + message))
    }

    /// Replaces the content of `tag` by the 32 bytes that authenticate this message, computed in the memory
    /// of a machine.
    package func callAsFunction(_ message: [UInt8], with machine: DigestMachine, into tag: inout [UInt8]) {
        machine(self.inner + message, into: &tag)
        machine(self.outer + tag, into: &tag)
    }
}

extension MessageAuthentication: CustomStringConvertible, CustomReflectable {
    package var description: String { "MessageAuthentication(key: redacted)" }

    package var customMirror: Mirror { Mirror(self, children: []) }
}
