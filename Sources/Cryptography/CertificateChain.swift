/// Certificates that were found to lead from a leaf to a configured anchor, each signed by the next.
package struct CertificateChain: Sendable {
    /// The leaf first, the anchor last.
    package let certificates: [Certificate]

    /// When all of them are valid, in seconds since 1970; empty if there is no such time.
    package var validity: Range<Int64> {
        let start = self.certificates.map(\.validity.lowerBound).max() ?? 0
        let end = self.certificates.map(\.validity.upperBound).min() ?? 0
        return start..<max(start, end)
    }

    /// Why certificates lead to no anchor.
    package enum Fault: Error, Hashable, Sendable {
        /// One of them is not yet valid, or no longer, at the time asked for.
        case outsideValidity
        /// They end at an issuer that is not configured.
        case untrusted
        /// OpenSSL's words for anything else, such as a bad signature or a certificate that may not sign.
        case invalid(String)
    }
}
