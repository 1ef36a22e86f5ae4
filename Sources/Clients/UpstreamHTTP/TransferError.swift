/// The reason why a request has no complete answer.
package struct TransferError: Error, Hashable, Sendable {
    /// The step at which the exchange failed. The raw value must stay as it is: it is a reason code in
    /// outcomes and metrics.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        /// The name of the host could not be resolved.
        case resolve
        /// The connection could not be made.
        case connect
        /// The TLS handshake failed, or the certificate of the server was not accepted.
        case tls
        /// A timeout passed, of the connection or of the whole request.
        case timeout
        /// The connection ended before the answer was complete.
        case cut
        /// The answer is not HTTP, or not encoded as it announced.
        case malformed
        /// The answer is longer than `HTTPClientSettings.responseBytesLimit`.
        case tooLarge = "too_large"
        /// The host has an address that the request must not reach (`HTTPRequest.reach`). Nothing was sent.
        case address
        /// Any other error, such as a request that the client refused.
        case other
    }

    /// The step at which the exchange failed.
    package var kind: Kind
    /// False only if no byte of the request can have reached the upstream. If true, the upstream may have
    /// carried out the request, and there is no way to know.
    package var mayHaveBeenSent: Bool
    /// False if the request was not tried at all, because others before it failed or its record left. Then nothing is said
    /// of it, nor by it of the upstream.
    package var wasTried = true
    /// Whether the request could not be written yet, for example without a token. Such a request was not tried.
    package private(set) var isNotReady = false
    /// The words of libcurl or of this client. They contain no part of the URL, the headers or the body.
    package var message: String

    /// Makes an error from its parts.
    package init(kind: Kind, mayHaveBeenSent: Bool, wasTried: Bool = true, message: String) {
        self.kind = kind
        self.mayHaveBeenSent = mayHaveBeenSent
        self.wasTried = wasTried
        self.message = message
    }

    /// The error of a request that cannot be written yet.
    package static let notReady: TransferError = {
        var error = TransferError(
            kind: .other,
            mayHaveBeenSent: false,
            wasTried: false,
            message: "the request cannot be written yet, for example without a token"
        )
        error.isNotReady = true
        return error
    }()
}
