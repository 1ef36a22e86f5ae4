internal import COpenSSL

/// Verifies signatures with OpenSSL's own calls and nothing around them.
///
/// The benchmark compares this package's verification with it. No worker uses it.
@safe package struct BareVerification {
    private let chain: CertificateChain
    private let leafKey: PublicKey
    private let issuerKeys: [PublicKey]
    private let message: [UInt8]
    private let signature: [UInt8]
    private let digest: Digest

    /// Prepares the keys of a chain that leads from the signer to an anchor. Nil if a certificate has no
    /// readable key, or the signature is not one of the signer's kind of key.
    package init?(_ chain: CertificateChain, message: [UInt8], signature: [UInt8], _ digest: Digest) {
        let keys = chain.certificates.compactMap(\.publicKey)
        guard keys.count == chain.certificates.count, let leafKey = keys.first else { return nil }
        self.chain = chain
        self.leafKey = leafKey
        self.issuerKeys = Array(keys.dropFirst())
        self.message = message
        let isES256 = leafKey.kind == .p256
        guard let encoded = isES256 ? JOSESignature(signature)?.der : signature else { return nil }
        self.signature = encoded
        self.digest = digest
    }

    /// Verifies the signature of the message, with a key that was prepared before.
    package func verifiesMessage() -> Bool {
        self.leafKey.verifies(self.signature, over: self.message.span, self.digest)
    }

    /// Verifies the signature of the message and those of the chain, with certificates and keys that were
    /// prepared before.
    package func verifiesSignatures() -> Bool {
        for (certificate, issuer) in zip(self.chain.certificates, self.issuerKeys) {
            guard unsafe X509_verify(certificate.x509, issuer.key) == 1 else { return false }
        }
        return self.verifiesMessage()
    }

    /// Parses the chain except for its anchor, builds it anew, and verifies the chain and the signature of
    /// the message, at a time in seconds since 1970.
    package func verifiesFromBytes(_ anchors: TrustAnchors, at time: Int64) -> Bool {
        guard let stack = unsafe fl_x509_stack_new() else { return false }
        defer { unsafe fl_x509_stack_free(stack) }
        for certificate in self.chain.certificates.dropLast() {
            guard let x509 = unsafe Self.parse(certificate.der) else { return false }
            defer { unsafe X509_free(x509) }
            guard unsafe fl_x509_stack_push(stack, x509) == 1 else { return false }
        }
        guard let context = unsafe X509_STORE_CTX_new(), let leaf = unsafe fl_x509_stack_at(stack, 0) else {
            return false
        }
        defer { unsafe X509_STORE_CTX_free(context) }
        guard unsafe X509_STORE_CTX_init(context, anchors.store, leaf, stack) == 1 else { return false }
        unsafe X509_STORE_CTX_set_time(context, 0, Int(time))
        guard unsafe X509_verify_cert(context) == 1, let key = unsafe X509_get_pubkey(leaf) else {
            return false
        }
        return unsafe PublicKey(takingOwnershipOf: key)
            .verifies(self.signature, over: self.message.span, self.digest)
    }

    /// Verifies a whole CMS container with `CMS_verify`, at a time in seconds since 1970.
    package static func verifiesContainer(_ bytes: [UInt8], _ anchors: TrustAnchors, at time: Int64) -> Bool {
        let cms = unsafe bytes.withUnsafeBufferPointer { bytes -> OpaquePointer? in
            var position = bytes.baseAddress
            return unsafe d2i_CMS_ContentInfo(nil, &position, bytes.count)
        }
        guard let cms = unsafe cms else { return false }
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

    private static func parse(_ der: [UInt8]) -> OpaquePointer? {
        unsafe der.withUnsafeBufferPointer { bytes in
            var position = bytes.baseAddress
            return unsafe d2i_X509(nil, &position, bytes.count)
        }
    }
}
