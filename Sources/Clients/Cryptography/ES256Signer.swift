internal import COpenSSL

/// Signs with ECDSA over P-256 and SHA-256, as JWTs require it (RFC 7518, section 3.4): 64 bytes, r and then
/// s.
///
/// Unchecked, because OpenSSL allows a key that no thread changes to be used from any thread, if each
/// signature has a context of its own.
@safe package final class ES256Signer: @unchecked Sendable {
    /// The reasons why a text cannot be used as a signing key. No reason repeats any part of the text.
    package enum Fault: Error, Hashable, Sendable, CustomStringConvertible {
        case notPEM
        case encrypted
        case notPKCS8
        case notP256
        /// The public part of the key does not belong to its private part.
        case broken

        package var description: String {
            switch self {
            case .notPEM: "it is not one PEM block"
            case .encrypted: "it is encrypted: a key is expected as Apple issues it, without a passphrase"
            case .notPKCS8: "it is not a private key in PKCS#8 (-----BEGIN PRIVATE KEY-----)"
            case .notP256: "it is not a key of the curve P-256"
            case .broken: "its private and public part do not belong together"
            }
        }
    }

    /// OpenSSL could not sign, because memory or random numbers ran out.
    package struct SigningFailure: Error, Hashable, Sendable {}

    private let key: OpaquePointer

    /// Reads the text of a `.p8` file: one PEM block that holds a private key of P-256 in PKCS#8.
    ///
    /// - Throws: the first `Fault` that was found.
    package init(pem: [UInt8]) throws(Fault) {
        let block = try PrivateKeyPEM(pem)
        let key = unsafe block.bytes.withUnsafeBytes { bytes -> OpaquePointer? in
            var position = unsafe bytes.bindMemory(to: UInt8.self).baseAddress
            let end = unsafe position.map { unsafe $0 + bytes.count }
            let key = unsafe d2i_AutoPrivateKey(nil, &position, bytes.count)
            guard unsafe position == end else {
                unsafe EVP_PKEY_free(key)
                return nil
            }
            return unsafe key
        }
        // OpenSSL keeps its errors in a queue of the thread. Without this call, the next user of OpenSSL on
        // this thread would read the errors of a bad key.
        ERR_clear_error()
        guard let key = unsafe key else { throw .notPKCS8 }
        do throws(Fault) {
            try unsafe Self.check(key)
        } catch {
            unsafe EVP_PKEY_free(key)
            throw error
        }
        unsafe self.key = key
    }

    deinit { unsafe EVP_PKEY_free(self.key) }

    private static func check(_ key: OpaquePointer) throws(Fault) {
        defer { ERR_clear_error() }
        var name = [CChar](repeating: 0, count: 64)
        var length = 0
        let isNamed = unsafe EVP_PKEY_get_group_name(key, &name, name.count, &length) == 1
        let curve = name.prefix(max(0, length)).map { UInt8(bitPattern: $0) }
        guard isNamed, curve == Array("prime256v1".utf8) else { throw .notP256 }
        guard let context = unsafe EVP_PKEY_CTX_new_from_pkey(nil, key, nil) else { throw .broken }
        defer { unsafe EVP_PKEY_CTX_free(context) }
        guard unsafe EVP_PKEY_check(context) == 1 else { throw .broken }
    }

    /// Returns the signature of a message, always 64 bytes. Signing the same message again gives different
    /// bytes.
    package func callAsFunction(_ message: [UInt8]) throws(SigningFailure) -> [UInt8] {
        defer { ERR_clear_error() }
        guard let context = unsafe EVP_MD_CTX_new() else { throw SigningFailure() }
        defer { unsafe EVP_MD_CTX_free(context) }
        guard unsafe EVP_DigestSignInit_ex(context, nil, "SHA256", nil, nil, self.key, nil) == 1 else {
            throw SigningFailure()
        }
        var signature = [UInt8](repeating: 0, count: ECDSASignature.longestDER)
        var count = signature.count
        guard unsafe EVP_DigestSign(context, &signature, &count, message, message.count) == 1,
            let raw = ECDSASignature.raw(der: signature.prefix(count))
        else { throw SigningFailure() }
        return raw
    }
}

extension ES256Signer: CustomStringConvertible, CustomReflectable {
    package var description: String { "ES256Signer(key: redacted)" }

    package var customMirror: Mirror { Mirror(self, children: []) }
}
