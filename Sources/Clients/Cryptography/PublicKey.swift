internal import COpenSSL

/// A public key that verifies signatures.
///
/// Unchecked, because OpenSSL documents an EVP_PKEY that no thread changes as free to use from any thread,
/// and no code here changes one.
@safe package final class PublicKey: @unchecked Sendable {
    let key: OpaquePointer

    /// The kind of a key. The caller uses it to reject a key that does not fit an algorithm.
    package enum Kind: Hashable, Sendable {
        /// The curve of ES256, also called prime256v1 and secp256r1.
        case p256
        /// An RSA key, with the length of its modulus.
        case rsa(bits: Int)
        /// Any other key, also one on another curve.
        case other
    }

    /// The kind that OpenSSL found in the key.
    package let kind: Kind

    /// Reads a SubjectPublicKeyInfo in PEM (`BEGIN PUBLIC KEY`). Nil for anything else.
    package convenience init?(pem: [UInt8]) {
        defer { ERR_clear_error() }
        let key = unsafe pem.withUnsafeBytes { bytes -> OpaquePointer? in
            guard let length = Int32(exactly: bytes.count),
                let bio = unsafe BIO_new_mem_buf(bytes.baseAddress, length)
            else { return nil }
            defer { unsafe BIO_free(bio) }
            return unsafe PEM_read_bio_PUBKEY(bio, nil, nil, nil)
        }
        guard let key = unsafe key else { return nil }
        unsafe self.init(takingOwnershipOf: key)
    }

    /// Takes over the caller's reference, which this object frees.
    init(takingOwnershipOf key: OpaquePointer) {
        unsafe self.key = key
        unsafe self.kind = Self.kind(of: key)
    }

    deinit { unsafe EVP_PKEY_free(self.key) }

    /// Returns whether this is the signature of `message` under ES256 (RFC 7518, section 3.4): ECDSA on P-256
    /// with SHA-256, as the 64 bytes r and s. A signature in DER and a key on another curve give false.
    package func verifiesES256(_ signature: [UInt8], over message: Span<UInt8>) -> Bool {
        guard self.kind == .p256, let encoded = JOSESignature(signature)?.der else { return false }
        return self.verifies(encoded, over: message, .sha256)
    }

    /// Returns whether this is the signature of `message` under RSASSA-PKCS1-v1_5 (RFC 8017, section 8.2). A
    /// key that is not RSA gives false.
    package func verifiesRSA(_ signature: [UInt8], over message: Span<UInt8>, _ digest: Digest) -> Bool {
        guard case .rsa = self.kind else { return false }
        return self.verifies(signature, over: message, digest)
    }

    /// Verifies a signature in OpenSSL's encoding: DER for ECDSA, the plain bytes for RSA.
    func verifies(_ signature: [UInt8], over message: Span<UInt8>, _ digest: Digest) -> Bool {
        guard let context = unsafe EVP_MD_CTX_new() else { return false }
        defer {
            unsafe EVP_MD_CTX_free(context)
            ERR_clear_error()
        }
        guard
            unsafe EVP_DigestVerifyInit(context, nil, digest.implementation.pointer, nil, self.key) == 1
        else { return false }
        return unsafe message.withUnsafeBytes { message in
            unsafe signature.withUnsafeBufferPointer { signature in
                unsafe EVP_DigestVerify(
                    context,
                    signature.baseAddress,
                    signature.count,
                    message.baseAddress,
                    message.count
                ) == 1
            }
        }
    }

    private static func kind(of key: OpaquePointer) -> Kind {
        defer { ERR_clear_error() }
        if unsafe EVP_PKEY_is_a(key, "RSA") == 1 {
            return .rsa(bits: Int(unsafe EVP_PKEY_get_bits(key)))
        }
        guard unsafe EVP_PKEY_is_a(key, "EC") == 1 else { return .other }
        var name = [CChar](repeating: 0, count: 32)
        let found = unsafe name.withUnsafeMutableBufferPointer { name in
            unsafe EVP_PKEY_get_group_name(key, name.baseAddress, name.count, nil)
        }
        let text = name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return found == 1 && text == Array("prime256v1".utf8) ? .p256 : .other
    }
}
