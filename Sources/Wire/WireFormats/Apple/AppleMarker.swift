import Cryptography

/// The certificate extensions by which Apple marks a certificate's purpose. OpenSSL does not check them.
enum AppleMarker {
    /// The marker of a leaf that signs receipts and transactions.
    static let receiptSigning = "1.2.840.113635.100.6.11.1"
    /// The marker of the intermediate, Apple Worldwide Developer Relations.
    static let developerRelations = "1.2.840.113635.100.6.2.1"

    /// Returns whether a chain consists of a marked leaf, the marked intermediate, and an anchor.
    static func areOn(_ chain: CertificateChain) -> Bool {
        guard chain.certificates.count == 3 else { return false }
        return chain.certificates[0].hasExtension(self.receiptSigning)
            && chain.certificates[1].hasExtension(self.developerRelations)
    }
}
