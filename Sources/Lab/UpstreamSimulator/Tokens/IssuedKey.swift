internal import COpenSSLForUpstreams

/// A new key pair like one that Apple issues: the private key is for the client that signs, the public key
/// for the simulator that verifies.
package struct IssuedKey: Sendable {
    /// The private key as the text of a `.p8` file: PKCS#8 in PEM.
    package let privatePEM: String
    /// The public key of P-256 in PEM.
    package let publicPEM: String

    /// Makes a new key pair; nil if OpenSSL has no random numbers or no memory.
    package init?() {
        defer { ERR_clear_error() }
        guard let context = unsafe EVP_PKEY_CTX_new_from_name(nil, "EC", nil) else { return nil }
        defer { unsafe EVP_PKEY_CTX_free(context) }
        var made: OpaquePointer?
        guard unsafe EVP_PKEY_keygen_init(context) == 1,
            unsafe EVP_PKEY_CTX_set_group_name(context, "P-256") == 1,
            unsafe EVP_PKEY_generate(context, &made) == 1, let key = unsafe made
        else { return nil }
        defer { unsafe EVP_PKEY_free(key) }
        let privatePEM = unsafe Self.text { sink in
            unsafe PEM_write_bio_PKCS8PrivateKey(sink, key, nil, nil, 0, nil, nil)
        }
        let publicPEM = unsafe Self.text { sink in unsafe PEM_write_bio_PUBKEY(sink, key) }
        guard let privatePEM, let publicPEM else { return nil }
        self.privatePEM = privatePEM
        self.publicPEM = publicPEM
    }

    /// The text that `write` has written into a memory buffer; nil if it fails.
    private static func text(_ write: (OpaquePointer) -> Int32) -> String? {
        guard let sink = unsafe BIO_new(BIO_s_mem()) else { return nil }
        defer { unsafe BIO_free(sink) }
        guard unsafe write(sink) == 1 else { return nil }
        // The PEM text of a P-256 key takes about 240 bytes.
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = unsafe BIO_read(sink, &bytes, Int32(bytes.count))
        return count > 0 ? String(decoding: bytes.prefix(Int(count)), as: UTF8.self) : nil
    }
}

extension IssuedKey: CustomStringConvertible, CustomReflectable {
    /// A description without the key, so that the private key appears in no log.
    package var description: String { "IssuedKey(redacted)" }

    /// A mirror without children, so that the private key appears in no dump.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
