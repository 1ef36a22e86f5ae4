internal import COpenSSL

/// HMAC with SHA-256 (RFC 2104), under one key.
package struct MessageAuthentication: Hashable, Sendable {
    private let key: [UInt8]

    package init(key: [UInt8]) {
        self.key = key
    }

    package func callAsFunction(_ message: [UInt8]) -> [UInt8] {
        // A key of no bytes is allowed, but OpenSSL takes a null pointer for no key at all.
        let key = self.key.isEmpty ? [0] : self.key
        return unsafe [UInt8](unsafeUninitializedCapacity: Digest.sha256.byteCount) { output, count in
            let tag = unsafe key.withUnsafeBytes { key in
                unsafe message.withUnsafeBytes { message in
                    unsafe EVP_Q_mac(
                        nil,
                        "HMAC",
                        nil,
                        "SHA256",
                        nil,
                        key.baseAddress,
                        self.key.count,
                        message.baseAddress,
                        message.count,
                        output.baseAddress,
                        output.count,
                        &count
                    )
                }
            }
            precondition(unsafe tag != nil, "OpenSSL does not compute HMAC-SHA256 here")
        }
    }
}

extension MessageAuthentication: CustomStringConvertible, CustomReflectable {
    package var description: String { "MessageAuthentication(key: redacted)" }

    package var customMirror: Mirror { Mirror(self, children: []) }
}
