/// Why a JWS of Apple's is not accepted.
package struct SignedDataFault: Error, Hashable, Sendable {
    /// The word that Apple's own App Store Server Library has for it. `OK` is what a value stands for here, and what
    /// the library can only say after asking Apple about a revocation does not occur.
    package enum Status: String, Hashable, Sendable, CaseIterable {
        case verificationFailure = "VERIFICATION_FAILURE"
        case invalidAppIdentifier = "INVALID_APP_IDENTIFIER"
        case invalidCertificate = "INVALID_CERTIFICATE"
        case invalidChainLength = "INVALID_CHAIN_LENGTH"
        case invalidEnvironment = "INVALID_ENVIRONMENT"
    }

    package var status: Status
    /// What exactly; never quotes the token.
    package var reason: Reason

    init(_ status: Status, _ code: String, _ message: String) {
        self.status = status
        self.reason = Reason(code, message)
    }

    init(_ code: String, _ message: String) {
        self.init(.verificationFailure, code, message)
    }
}
