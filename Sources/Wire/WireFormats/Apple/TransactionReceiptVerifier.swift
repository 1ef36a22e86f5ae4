package import Cryptography

/// Verifies receipts of iOS 6 and earlier, as far as that is possible without a call to Apple.
///
/// The format of a signature was found in real receipts: the version (2), 128 bytes of RSA, the length of a
/// certificate (4 bytes, big-endian) and the certificate. The signature is PKCS#1 v1.5 with SHA-1 over the
/// version and the decoded `purchase-info`. Its key is short, and the certificate expired in 2014, so no time
/// is checked. A good signature means only that the receipt is not refused: ask Apple.
package struct TransactionReceiptVerifier: Sendable {
    private static let signatureByteCount = 128

    private let anchors: TrustAnchors

    /// Verifies against these anchors.
    ///
    /// - Parameter anchors: the certificate that signs (`PurchaseReceiptCertificate`), or an issuer of it. A
    ///   certificate that leads to an issuer needs Apple's marker for receipts, because the issuer certifies
    ///   other purposes too. Without any anchor no receipt can be verified, and none is rejected for its
    ///   signature.
    package init(anchors: TrustAnchors) {
        self.anchors = anchors
    }

    /// Returns the content of a receipt with a good signature.
    ///
    /// - Parameter bytes: the outer property list.
    package func receipt(_ bytes: [UInt8]) throws(AppReceiptFault) -> TransactionReceipt {
        let receipt = try TransactionReceipt(unverified: bytes)
        guard let signature = receipt.signature else {
            throw .rejected("receipt.unsigned", "The receipt has no signature.")
        }
        guard let version = signature.first, version == 2 else {
            throw .unverifiable(
                "receipt.signature_version",
                "The receipt's signature is of a version that cannot be verified here."
            )
        }
        guard !self.anchors.certificates.isEmpty else {
            throw .unverifiable(
                "receipt.no_anchor",
                "No certificate is configured that such receipts lead to."
            )
        }
        guard let certificate = Self.certificate(in: signature), let key = certificate.publicKey else {
            throw .rejected("receipt.signature_layout", "The receipt's signature is cut or badly made.")
        }
        guard self.isTrusted(certificate) else {
            throw .rejected(
                "receipt.untrusted",
                "The receipt's certificate is not one that is configured, or leads to one and is for receipts."
            )
        }
        let signed = [version] + receipt.signedText
        let digits = Array(signature[1...Self.signatureByteCount])
        guard key.verifiesRSA(digits, over: signed.span, .sha1) else {
            throw .rejected("receipt.signature", "The receipt's signature is not that of its content.")
        }
        return receipt
    }

    private func isTrusted(_ certificate: Certificate) -> Bool {
        if self.anchors.certificates.contains(where: { $0.der == certificate.der }) { return true }
        return certificate.hasExtension(AppleMarker.receiptSigning)
            && (try? self.anchors.chain(from: certificate, through: [], at: nil, .any)) != nil
    }

    /// Returns the certificate in a signature; nil unless all lengths fit exactly.
    private static func certificate(in signature: [UInt8]) -> Certificate? {
        let start = 1 + self.signatureByteCount + 4
        guard signature.count > start else { return nil }
        let length = signature[(start - 4)..<start].reduce(0) { $0 << 8 | Int($1) }
        guard signature.count - start == length else { return nil }
        return Certificate(der: Array(signature[start...]))
    }
}
