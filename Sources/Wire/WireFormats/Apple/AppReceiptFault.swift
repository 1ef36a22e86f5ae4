/// The reason why a receipt is not accepted.
package struct AppReceiptFault: Error, Hashable, Sendable {
    /// The kind of fault.
    package enum Kind: String, Hashable, Sendable {
        /// The input is not a receipt, or is a damaged one.
        case malformed = "MALFORMED"
        /// The receipt can be read, but its signature, its certificates or its markers are wrong.
        case rejected = "REJECT"
        /// The receipt can be read, but nothing here can verify it. Apple can.
        case unverifiable = "UNVERIFIABLE"
    }

    /// The kind of fault.
    package var kind: Kind
    /// The exact reason. It never quotes the receipt.
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
