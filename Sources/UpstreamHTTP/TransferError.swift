/// Why a request has no complete answer.
package struct TransferError: Error, Hashable, Sendable {
    /// Where it broke. The raw value is stable: it is a reason code in outcomes and metrics.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        case resolve
        case connect
        case tls
        case timeout
        /// The connection ended before the answer did.
        case cut
        /// What came back is not HTTP, or not what was announced.
        case malformed
        /// The answer is longer than `HTTPClientSettings.responseBytesLimit`.
        case tooLarge = "too_large"
        case other
    }

    package var kind: Kind
    /// False only if no byte of the request can have reached the upstream. True means that the upstream may
    /// have done what it was asked, and nobody knows.
    package var mayHaveBeenSent: Bool
    /// libcurl's own words. Holds no part of the URL, the headers or the body.
    package var message: String

    package init(kind: Kind, mayHaveBeenSent: Bool, message: String) {
        self.kind = kind
        self.mayHaveBeenSent = mayHaveBeenSent
        self.message = message
    }
}
