/// The reason why a JWS of Apple's is not accepted.
package struct SignedDataFault: Error, Hashable, Sendable {
    /// The status that Apple's own App Store Server Library gives the fault. `OK` is missing, because success
    /// returns a value instead, as are the statuses that the library can reach only by asking Apple about a
    /// revocation.
    package enum Status: String, Hashable, Sendable, CaseIterable {
        case verificationFailure = "VERIFICATION_FAILURE"
        case invalidAppIdentifier = "INVALID_APP_IDENTIFIER"
        case invalidCertificate = "INVALID_CERTIFICATE"
        case invalidChainLength = "INVALID_CHAIN_LENGTH"
        case invalidEnvironment = "INVALID_ENVIRONMENT"
    }

    /// The status in Apple's library.
    package var status: Status
    /// The exact reason. It never quotes the token.
    package var reason: Reason

    init(_ status: Status, _ code: String, message: String) {
        self.status = status
        self.reason = Reason(code, message)
    }

    init(_ code: String, _ message: String) {
        self.init(.verificationFailure, code, message: message)
    }
}
