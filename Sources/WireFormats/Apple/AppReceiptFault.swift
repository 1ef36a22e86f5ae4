/// Why a receipt is not accepted.
package struct AppReceiptFault: Error, Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable {
        /// It is no receipt at all, or a damaged one.
        case malformed = "MALFORMED"
        /// It can be read, but not believed.
        case rejected = "REJECT"
        /// It can be read, but nothing here can tell whether to believe it. Apple can.
        case unverifiable = "UNVERIFIABLE"
    }

    package var kind: Kind
    /// What exactly; never quotes the receipt.
    package var reason: Reason

    static func malformed(_ code: String, _ message: String) -> AppReceiptFault {
        AppReceiptFault(kind: .malformed, reason: Reason(code, message))
    }

    static func rejected(_ code: String, _ message: String) -> AppReceiptFault {
        AppReceiptFault(kind: .rejected, reason: Reason(code, message))
    }

    static func unverifiable(_ code: String, _ message: String) -> AppReceiptFault {
        AppReceiptFault(kind: .unverifiable, reason: Reason(code, message))
    }
}
