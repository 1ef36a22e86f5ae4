internal import COpenSSL

/// A CMS SignedData (RFC 5652) that carries its content, in DER or BER. OpenSSL parses and verifies it.
@safe package struct SignedMessage: ~Copyable {
    /// The reasons why a message is not accepted.
    package enum Fault: Error, Hashable, Sendable {
        /// The message has no signer, more than one, or one whose certificate is not in the message.
        case signer
        /// The signer's certificate does not lead to an anchor.
        case chain(CertificateChain.Fault)
        /// The signature was not made by the signer, or not over this content.
        case signature
    }

    /// The content of a verified message, and the certificates of its signer.
    package struct Verified: Sendable {
        /// The signed bytes.
        package let content: [UInt8]
        /// The certificates from the signer's to the anchor's.
        package let chain: CertificateChain
    }

    private let cms: OpaquePointer

    /// Parses the bytes. Nil unless OpenSSL can read them as CMS.
    ///
    /// Every certificate in the message costs a tenth of a millisecond, so the caller must limit the number
    /// of bytes and of certificates beforehand.
    package init?(_ bytes: [UInt8]) {
        defer { ERR_clear_error() }
        let cms = unsafe bytes.withUnsafeBufferPointer { bytes -> OpaquePointer? in
            var position = bytes.baseAddress
            return unsafe d2i_CMS_ContentInfo(nil, &position, bytes.count)
        }
        guard let cms = unsafe cms else { return nil }
        unsafe self.cms = cms
    }

    deinit { unsafe CMS_ContentInfo_free(self.cms) }

    /// Returns the content, if the certificate of the one signer leads to an anchor at a time and the signer
    /// signed the content.
    ///
    /// The chain is verified before the signature, so that the key of an unknown signer is never used.
    /// Revocation lists in the message and the purposes of the certificates are ignored.
    ///
    /// - Parameter time: in seconds since 1970.
    /// - Throws: the first `Fault` that was found.
    package borrowing func verified(
        against anchors: TrustAnchors,
        at time: Int64,
        _ strength: TrustAnchors.Strength
    ) throws(Fault) -> Verified {
        defer { ERR_clear_error() }
        let signer = try self.signer()
        let chain: CertificateChain
        do throws(CertificateChain.Fault) {
            chain = try anchors.chain(from: signer, through: self.certificates(), at: time, strength)
        } catch {
            throw .chain(error)
        }
        return Verified(content: try self.signedContent(), chain: chain)
    }

    private borrowing func signer() throws(Fault) -> Certificate {
        guard unsafe fl_cms_signer_count(self.cms) == 1,
            unsafe CMS_set1_signers_certs(self.cms, nil, 0) == 1,
            let signers = unsafe CMS_get0_signers(self.cms)
        else { throw .signer }
        defer { unsafe fl_x509_stack_free_shallow(signers) }
        guard unsafe fl_x509_stack_count(signers) == 1, let x509 = unsafe fl_x509_stack_at(signers, 0),
            let certificate = unsafe Certificate(retaining: x509)
        else { throw .signer }
        return certificate
    }

    private borrowing func certificates() -> [Certificate] {
        guard let stack = unsafe CMS_get1_certs(self.cms) else { return [] }
        defer { unsafe fl_x509_stack_free(stack) }
        return (0..<(unsafe fl_x509_stack_count(stack))).compactMap { index in
            unsafe fl_x509_stack_at(stack, index).flatMap { unsafe Certificate(retaining: $0) }
        }
    }

    private borrowing func signedContent() throws(Fault) -> [UInt8] {
        guard let output = unsafe BIO_new(BIO_s_mem()) else { throw .signature }
        defer { unsafe BIO_free(output) }
        let flags = UInt32(CMS_BINARY | CMS_NO_SIGNER_CERT_VERIFY)
        guard unsafe CMS_verify(self.cms, nil, nil, nil, output, flags) == 1 else { throw .signature }
        let count = unsafe BIO_ctrl_pending(output)
        return unsafe [UInt8](unsafeUninitializedCapacity: count) { bytes, written in
            var read = 0
            written = unsafe BIO_read_ex(output, bytes.baseAddress, count, &read) == 1 ? read : 0
        }
    }
}
