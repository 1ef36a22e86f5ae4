/// HMAC with SHA-256 (RFC 2104), under one key.
///
/// Of two digests, with the key's part of each made once: OpenSSL's own function looks its algorithm up anew each time,
/// which costs several times what a short message does.
package struct MessageAuthentication: Hashable, Sendable {
    private let inner: [UInt8]
    private let outer: [UInt8]

    /// What SHA-256 reads at a time.
    private static let blockByteCount = 64

    package init(key: [UInt8]) {
        var block = key.count > Self.blockByteCount ? Digest.sha256(key) : key
        block += [UInt8](repeating: 0, count: Self.blockByteCount - block.count)
        self.inner = block.map { $0 ^ 0x36 }
        self.outer = block.map { $0 ^ 0x5C }
    }

    package func callAsFunction(_ message: [UInt8]) -> [UInt8] {
        Digest.sha256(self.outer + Digest.sha256(self.inner + message))
    }

    /// The same with a machine's memory, put in the place of what `tag` holds.
    package func callAsFunction(_ message: [UInt8], with machine: DigestMachine, into tag: inout [UInt8]) {
        machine(self.inner + message, into: &tag)
        machine(self.outer + tag, into: &tag)
    }
}

extension MessageAuthentication: CustomStringConvertible, CustomReflectable {
    package var description: String { "MessageAuthentication(key: redacted)" }

    package var customMirror: Mirror { Mirror(self, children: []) }
}
