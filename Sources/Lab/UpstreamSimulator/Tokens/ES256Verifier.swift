internal import COpenSSLForUpstreams

/// Verifies ES256 signatures as Apple does. It shares no code with the workers' signer, so that a mistake of
/// the signer is not repeated here.
///
/// The class is `@unchecked Sendable` because OpenSSL allows any thread to use a key that is not modified.
@safe package final class ES256Verifier: @unchecked Sendable {
    private let key: OpaquePointer

    /// Reads a public key; nil for anything but a P-256 key in PEM (`-----BEGIN PUBLIC KEY-----`).
    package init?(publicKeyPEM: String) {
        defer { ERR_clear_error() }
        let text = Array(publicKeyPEM.utf8)
        guard let source = unsafe BIO_new_mem_buf(text, Int32(clamping: text.count)) else { return nil }
        defer { unsafe BIO_free(source) }
        guard let key = unsafe PEM_read_bio_PUBKEY(source, nil, nil, nil) else { return nil }
        var name = [CChar](repeating: 0, count: 64)
        guard unsafe EVP_PKEY_get_group_name(key, &name, name.count, nil) == 1,
            name.prefix(while: { $0 != 0 }).elementsEqual("prime256v1".utf8.map { CChar($0) })
        else {
            unsafe EVP_PKEY_free(key)
            return nil
        }
        unsafe self.key = key
    }

    deinit { unsafe EVP_PKEY_free(self.key) }

    /// Whether `signature`, 64 bytes with r and then s, is this key's signature of the message.
    package func accepts(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        defer { ERR_clear_error() }
        guard signature.count == 64, let der = Self.der(signature),
            let context = unsafe EVP_MD_CTX_new()
        else { return false }
        defer { unsafe EVP_MD_CTX_free(context) }
        guard unsafe EVP_DigestVerifyInit_ex(context, nil, "SHA256", nil, nil, self.key, nil) == 1 else {
            return false
        }
        return unsafe EVP_DigestVerify(context, der, der.count, message, message.count) == 1
    }

    /// Converts a signature from 64 bytes, r and then s, to DER.
    private static func der(_ signature: [UInt8]) -> [UInt8]? {
        guard let pair = unsafe ECDSA_SIG_new() else { return nil }
        defer { unsafe ECDSA_SIG_free(pair) }
        let (r, s) = (Array(signature.prefix(32)), Array(signature.dropFirst(32)))
        // If the call succeeds, the pair owns both numbers.
        guard unsafe ECDSA_SIG_set0(pair, BN_bin2bn(r, 32, nil), BN_bin2bn(s, 32, nil)) == 1 else {
            return nil
        }
        var der = [UInt8](repeating: 0, count: 80)
        let count = unsafe der.withUnsafeMutableBufferPointer { buffer in
            var position = buffer.baseAddress
            return unsafe i2d_ECDSA_SIG(pair, &position)
        }
        return count > 0 ? Array(der.prefix(Int(count))) : nil
    }
}
