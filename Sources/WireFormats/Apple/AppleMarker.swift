import Cryptography

/// The extensions by which Apple says what a certificate is for; OpenSSL does not look at them.
enum AppleMarker {
    /// The leaf that signs receipts and transactions.
    static let receiptSigning = "1.2.840.113635.100.6.11.1"
    /// The intermediate, Apple Worldwide Developer Relations.
    static let developerRelations = "1.2.840.113635.100.6.2.1"

    /// Whether a chain is a leaf that signs receipts, the intermediate, and an anchor.
    static func areOn(_ chain: CertificateChain) -> Bool {
        guard chain.certificates.count == 3 else { return false }
        return chain.certificates[0].hasExtension(self.receiptSigning)
            && chain.certificates[1].hasExtension(self.developerRelations)
    }
}
