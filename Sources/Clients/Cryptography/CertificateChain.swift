/// Certificates that were verified to lead from a leaf to a configured anchor. Each is signed by the next.
package struct CertificateChain: Sendable {
    /// The certificates, with the leaf first and the anchor last.
    package let certificates: [Certificate]

    /// The seconds since 1970 at which all certificates are valid. The range is empty if there is no such
    /// time.
    package var validity: Range<Int64> {
        let start = self.certificates.map(\.validity.lowerBound).max() ?? 0
        let end = self.certificates.map(\.validity.upperBound).min() ?? 0
        return start..<max(start, end)
    }

    /// The reasons why certificates lead to no anchor.
    package enum Fault: Error, Hashable, Sendable {
        /// One of the certificates is not yet valid, or no longer valid, at the time asked for.
        case outsideValidity
        /// The certificates end at an issuer that is not configured.
        case untrusted
        /// OpenSSL's words for any other fault, such as a bad signature, or an issuer that may not sign
        /// certificates.
        case invalid(String)
    }
}
