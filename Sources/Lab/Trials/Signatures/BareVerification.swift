import COpenSSLForMeasuring

/// Verifies signatures with OpenSSL's own calls and nothing around them.
///
/// `VerificationBenchmark` compares the workers' verification with it, so it shares no code with them.
@safe final class BareVerification {
    /// The certificates from the signer's to the anchor's.
    private let chain: [[UInt8]]
    /// The parsed certificates, in the order of `chain`.
    private let certificates: [BareCertificate]
    private let digest: OpaquePointer
    private let message: [UInt8]
    /// The signature in OpenSSL's encoding: DER for ECDSA, the plain bytes for RSA.
    private let signature: [UInt8]

    /// Prepares the verification of a message. Nil if a certificate or its key cannot be read.
    ///
    /// - Parameters:
    ///   - chain: certificates in DER, from the signer's to the anchor's.
    ///   - digest: the name of the digest as OpenSSL spells it.
    private init?(_ chain: [[UInt8]], message: [UInt8], signature: [UInt8], digest: String) {
        let certificates = chain.compactMap { BareCertificate($0) }
        guard certificates.count == chain.count, let fetched = unsafe EVP_MD_fetch(nil, digest, nil) else {
            return nil
        }
        unsafe self.digest = fetched
        self.chain = chain
        self.certificates = certificates
        self.message = message
        self.signature = signature
    }

    deinit { unsafe EVP_MD_free(self.digest) }

    /// Prepares the verification of a signature of ES256: the 64 bytes r and s.
    convenience init?(_ chain: [[UInt8]], message: [UInt8], es256 signature: [UInt8]) {
        guard let der = Self.der(signature) else { return nil }
        self.init(chain, message: message, signature: der, digest: "SHA256")
    }

    /// Prepares the verification of a CMS container whose one signer has no signed attributes.
    convenience init?(_ chain: [[UInt8]], container bytes: [UInt8]) {
        guard let cms = unsafe Self.parse(container: bytes) else { return nil }
        defer { unsafe CMS_ContentInfo_free(cms) }
        guard let signer = unsafe fl_measured_plain_signer(cms),
            let digest = unsafe fl_measured_digest_name(signer),
            let content = unsafe CMS_get0_content(cms)?.pointee,
            let signature = unsafe CMS_SignerInfo_get0_signature(signer)
        else { return nil }
        self.init(
            chain,
            message: unsafe Self.bytes(of: content),
            signature: unsafe Self.bytes(of: signature),
            digest: unsafe String(cString: digest)
        )
    }

    /// Verifies the signature of the message, with a key that was prepared before.
    func verifiesMessage() -> Bool {
        guard let leaf = self.certificates.first else { return false }
        return unsafe self.verifiesMessage(with: leaf.key)
    }

    /// Verifies the signature of the message and those of the chain, with certificates and keys that were
    /// prepared before.
    func verifiesSignatures() -> Bool {
        for (certificate, issuer) in zip(self.certificates, self.certificates.dropFirst()) {
            guard unsafe X509_verify(certificate.x509, issuer.key) == 1 else { return false }
        }
        return self.verifiesMessage()
    }

    /// Parses the chain except for its anchor, builds it anew, and verifies the chain and the signature of
    /// the message, at a time in seconds since 1970.
    func verifiesFromBytes(_ anchors: BareAnchors, at time: Int64) -> Bool {
        guard let stack = unsafe fl_measured_stack_new() else { return false }
        defer { unsafe fl_measured_stack_free(stack) }
        for der in self.chain.dropLast() {
            guard let certificate = unsafe BareCertificate.parse(der) else { return false }
            guard unsafe fl_measured_stack_push(stack, certificate) == 1 else {
                unsafe X509_free(certificate)
                return false
            }
        }
        guard let context = unsafe X509_STORE_CTX_new(), let leaf = unsafe fl_measured_stack_at(stack, 0)
        else { return false }
        defer { unsafe X509_STORE_CTX_free(context) }
        guard unsafe X509_STORE_CTX_init(context, anchors.store, leaf, stack) == 1 else { return false }
        unsafe X509_STORE_CTX_set_time(context, 0, Int(time))
        guard unsafe X509_verify_cert(context) == 1, let key = unsafe X509_get_pubkey(leaf) else {
            return false
        }
        defer { unsafe EVP_PKEY_free(key) }
        return unsafe self.verifiesMessage(with: key)
    }

    /// Verifies a whole CMS container with `CMS_verify`, at a time in seconds since 1970.
    static func verifiesContainer(_ bytes: [UInt8], _ anchors: BareAnchors, at time: Int64) -> Bool {
        guard let cms = unsafe Self.parse(container: bytes) else { return false }
        defer { unsafe CMS_ContentInfo_free(cms) }
        guard let store = unsafe X509_STORE_new() else { return false }
        defer { unsafe X509_STORE_free(store) }
        for anchor in anchors.certificates {
            guard unsafe X509_STORE_add_cert(store, anchor.x509) == 1 else { return false }
        }
        guard let parameters = unsafe X509_STORE_get0_param(store) else { return false }
        unsafe X509_VERIFY_PARAM_set_purpose(parameters, X509_PURPOSE_ANY)
        unsafe X509_VERIFY_PARAM_set_time(parameters, Int(time))
        guard let output = unsafe BIO_new(BIO_s_mem()) else { return false }
        defer { unsafe BIO_free(output) }
        return unsafe CMS_verify(cms, nil, store, nil, output, UInt32(CMS_BINARY)) == 1
    }

    private func verifiesMessage(with key: OpaquePointer) -> Bool {
        guard let context = unsafe EVP_MD_CTX_new() else { return false }
        defer { unsafe EVP_MD_CTX_free(context) }
        guard unsafe EVP_DigestVerifyInit(context, nil, self.digest, nil, key) == 1 else { return false }
        return unsafe EVP_DigestVerify(
            context,
            self.signature,
            self.signature.count,
            self.message,
            self.message.count
        ) == 1
    }

    private static func parse(container bytes: [UInt8]) -> OpaquePointer? {
        unsafe bytes.withUnsafeBufferPointer { bytes in
            var position = bytes.baseAddress
            return unsafe d2i_CMS_ContentInfo(nil, &position, bytes.count)
        }
    }

    private static func bytes(of string: UnsafeMutablePointer<ASN1_OCTET_STRING>) -> [UInt8] {
        let (start, count) = unsafe (ASN1_STRING_get0_data(string), Int(ASN1_STRING_length(string)))
        return unsafe Array(UnsafeBufferPointer(start: start, count: count))
    }

    /// Converts a signature from 64 bytes, r and then s, to DER.
    private static func der(_ signature: [UInt8]) -> [UInt8]? {
        guard signature.count == 64, let pair = unsafe ECDSA_SIG_new() else { return nil }
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

/// A certificate and its key.
@safe private final class BareCertificate {
    let x509: OpaquePointer
    let key: OpaquePointer

    /// Parses a certificate in DER. Nil if it or its key cannot be read.
    init?(_ der: [UInt8]) {
        guard let x509 = unsafe Self.parse(der) else { return nil }
        guard let key = unsafe X509_get_pubkey(x509) else {
            unsafe X509_free(x509)
            return nil
        }
        unsafe self.x509 = x509
        unsafe self.key = key
    }

    deinit {
        unsafe EVP_PKEY_free(self.key)
        unsafe X509_free(self.x509)
    }

    static func parse(_ der: [UInt8]) -> OpaquePointer? {
        unsafe der.withUnsafeBufferPointer { bytes in
            var position = bytes.baseAddress
            return unsafe d2i_X509(nil, &position, bytes.count)
        }
    }
}

/// Certificates that a chain may end in, parsed before the measurement.
@safe final class BareAnchors {
    fileprivate let store: OpaquePointer
    fileprivate let certificates: [BareCertificate]

    /// Parses certificates in DER. Nil if one cannot be read.
    init?(_ anchors: [[UInt8]]) {
        let certificates = anchors.compactMap { BareCertificate($0) }
        guard certificates.count == anchors.count, let store = unsafe X509_STORE_new() else { return nil }
        self.certificates = certificates
        unsafe self.store = store
        for certificate in certificates {
            guard unsafe X509_STORE_add_cert(store, certificate.x509) == 1 else { return nil }
        }
    }

    deinit { unsafe X509_STORE_free(self.store) }
}
