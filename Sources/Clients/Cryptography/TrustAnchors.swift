internal import COpenSSL

/// The certificates that are trusted because they are configured. The certificates that the system trusts
/// play no part, and the network is not used.
///
/// Unchecked, because an X509_STORE takes a lock of its own, and no code here changes the store once it is
/// filled.
@safe package final class TrustAnchors: @unchecked Sendable {
    let store: OpaquePointer
    /// The anchors, in the order in which they were given.
    package let certificates: [Certificate]

    /// The weakest signature and key that a chain may have, as one of OpenSSL's security levels.
    package enum Strength: Int32, Sendable {
        /// SHA-1 and short keys are accepted too. App receipts were signed with them until 2023, and receipts
        /// of iOS 6 always are.
        case any = 0
        /// At least 80 bits of security are required, which SHA-1 does not have.
        case current = 1
    }

    /// Makes a store of these certificates. It ends the process if memory has run out.
    package init(_ certificates: [Certificate]) {
        guard let store = unsafe X509_STORE_new() else { preconditionFailure("out of memory") }
        for certificate in certificates {
            let isAdded = unsafe X509_STORE_add_cert(store, certificate.x509)
            precondition(isAdded == 1, "OpenSSL takes no certificate into a store")
        }
        unsafe self.store = store
        self.certificates = certificates
    }

    deinit { unsafe X509_STORE_free(self.store) }

    /// Returns the chain from a leaf to an anchor, built only from the certificates given.
    ///
    /// An anchor need not be self-signed. Revocation and the purpose of the leaf are not checked: Apple
    /// marks the purpose of its certificates with extensions of its own, and the caller must look for those.
    ///
    /// - Parameter time: the time at which every certificate must be valid, in seconds since 1970. With nil,
    ///   no validity is checked.
    /// - Throws: the `CertificateChain.Fault` that OpenSSL found.
    package func chain(
        from leaf: Certificate,
        through intermediates: [Certificate],
        at time: Int64?,
        _ strength: Strength
    ) throws(CertificateChain.Fault) -> CertificateChain {
        // The leaf's validity is checked before OpenSSL's own check, which reports a different error for a
        // time that no certificate can have.
        if let time, !leaf.validity.contains(time) { throw .outsideValidity }
        guard let stack = unsafe fl_x509_stack_new() else { throw .invalid("out of memory") }
        defer { unsafe fl_x509_stack_free(stack) }
        for certificate in intermediates {
            guard unsafe fl_x509_stack_push(stack, certificate.x509) == 1 else {
                throw .invalid("out of memory")
            }
        }
        guard let context = unsafe X509_STORE_CTX_new() else { throw .invalid("out of memory") }
        defer {
            unsafe X509_STORE_CTX_free(context)
            ERR_clear_error()
        }
        guard unsafe X509_STORE_CTX_init(context, self.store, leaf.x509, stack) == 1,
            let parameters = unsafe X509_STORE_CTX_get0_param(context)
        else { throw .invalid("out of memory") }
        unsafe Self.set(parameters, time, strength: strength)
        guard unsafe X509_verify_cert(context) == 1 else {
            throw unsafe Self.fault(X509_STORE_CTX_get_error(context))
        }
        return try unsafe Self.chain(in: context)
    }

    private static func set(_ parameters: OpaquePointer, _ time: Int64?, strength: Strength) {
        unsafe X509_VERIFY_PARAM_set_purpose(parameters, X509_PURPOSE_ANY)
        unsafe X509_VERIFY_PARAM_set_auth_level(parameters, strength.rawValue)
        unsafe X509_VERIFY_PARAM_set_flags(parameters, UInt(X509_V_FLAG_PARTIAL_CHAIN))
        if let time {
            unsafe X509_VERIFY_PARAM_set_time(parameters, Int(time))
        } else {
            unsafe X509_VERIFY_PARAM_set_flags(parameters, UInt(X509_V_FLAG_NO_CHECK_TIME))
        }
    }

    private static func chain(in context: OpaquePointer) throws(CertificateChain.Fault) -> CertificateChain {
        let found = unsafe X509_STORE_CTX_get0_chain(context)
        var certificates: [Certificate] = []
        for index in 0..<(unsafe fl_x509_stack_count(found)) {
            guard let x509 = unsafe fl_x509_stack_at(found, index),
                let certificate = unsafe Certificate(retaining: x509)
            else { throw .invalid("a certificate of the chain cannot be kept") }
            certificates.append(certificate)
        }
        return CertificateChain(certificates: certificates)
    }

    private static func fault(_ code: Int32) -> CertificateChain.Fault {
        switch code {
        case X509_V_ERR_CERT_NOT_YET_VALID, X509_V_ERR_CERT_HAS_EXPIRED:
            .outsideValidity
        case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
            X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN, X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT,
            X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE, X509_V_ERR_CERT_UNTRUSTED:
            .untrusted
        default:
            .invalid(unsafe String(cString: X509_verify_cert_error_string(Int(code))))
        }
    }
}
