/// The meaning of an answer of verifyReceipt. Apple sends HTTP status 200 even for errors; the code is
/// `status` in the JSON, which may be a text. A body is read only with HTTP status 200.
package struct VerifyReceiptReply: Hashable, Sendable {
    /// The next step.
    package var decision: StoreDecision
    /// The reason of a failure; its texts are empty if the call simply succeeded.
    package var reason: Reason
    /// The status in Apple's JSON; nil if there was none.
    package var status: Int64?
    /// Whether the receipt, and so the client that sent it, may be the cause of this answer.
    package var isAboutReceipt = false
    /// The purchases; set only with a decision to accept.
    package var purchases: StorePurchases?

    /// The most bytes of an answer. For a customer who has subscribed in the sandbox for years it has some
    /// megabytes.
    package static let bytesLimit = 16 << 20

    /// Interprets a response. `visited` are the hosts that were asked earlier in this attempt.
    package init(status: Int, body: [UInt8], from host: StoreHost, visited: Set<StoreHost> = []) {
        guard status == 200 else {
            self.init(Self.decision(onHTTP: status), .http(status))
            self.isAboutReceipt = [413, 414, 431].contains(status)
            return
        }
        guard body.count <= Self.bytesLimit else {
            self.init(.retryLimited, Self.unexplained)
            self.isAboutReceipt = true
            return
        }
        guard let object = JSONObject(body) else {
            self.init(JSONSyntax.isValue(body) ? .retryLimited : .retry, Self.unreadable)
            return
        }
        guard let code = object.code("status") else {
            self.init(.retryLimited, Self.unexplained)
            return
        }
        self.init(Self.decision(on: code, in: object, from: host, visited), Self.reason(code))
        (self.status, self.isAboutReceipt) = (code, true)
        guard self.decision == .accept || self.decision == .acceptExpired else { return }
        let hasEnded = self.decision == .acceptExpired
        self.purchases = StorePurchases(verifyReceipt: object, from: host, hasEnded: hasEnded)
        if let flaw = self.purchases?.flaw {
            (self.decision, self.purchases) = (.retryLimited, nil)
            self.reason = flaw.reason(in: "verifyreceipt")
        } else if self.purchases == nil, !hasEnded {
            // An approval that does not name what it approves cannot be granted.
            (self.decision, self.reason) = (.retryLimited, Self.withoutReceipt)
        }
    }

    private init(_ decision: StoreDecision, _ reason: Reason) {
        self.decision = decision
        self.reason = reason
    }

    /// Whether Apple could not read our request at all.
    package var isBadRequest: Bool { self.status == 21000 }

    /// Whether Apple approves the receipt, even if the rest of the answer cannot be used.
    package var isApproval: Bool { self.status == 0 || self.status == 21006 }

    private static func decision(onHTTP status: Int) -> StoreDecision {
        switch status {
        case 408, 425, 429, 500...: .retry
        default: .retryLimited
        }
    }

    private static func decision(
        on code: Int64,
        in object: JSONObject,
        from host: StoreHost,
        _ visited: Set<StoreHost>
    ) -> StoreDecision {
        switch code {
        case 0: .accept
        case 21000, 21004: .configuration
        case 21003, 21010: .reject
        case 21005, 21009: .retry
        case 21006: .acceptExpired
        // A host may only refer to the other one; a host that refers to itself has a failure.
        case 21007 where host == .production, 21008 where host == .sandbox:
            .other(than: host, after: visited, else: .retryLimited)
        case 21100...21199:
            // The first name is the documented one, the second is the one that Apple sends.
            (object.flag("is-retryable") ?? object.flag("is_retryable") ?? true) ? .retry : .reject
        // Apple sends 21002 for a malformed receipt, and also during a failure. A malformed receipt is
        // refused before the call.
        default: .retryLimited
        }
    }

    private static func reason(_ code: Int64) -> Reason {
        switch code {
        case 0: Reason("", "")
        case 21000: Reason("verifyreceipt.21000", "Apple cannot read our request: a fault of this worker.")
        case 21002: Reason("verifyreceipt.21002", "Apple calls the receipt malformed, or is in trouble.")
        case 21003: Reason("verifyreceipt.21003", "Apple says that the receipt is not authentic.")
        case 21004: Reason("verifyreceipt.21004", "The shared secret is not that of the receipt's app.")
        case 21005: Reason("verifyreceipt.21005", "Apple's receipt service is not available.")
        case 21006: Reason("verifyreceipt.21006", "Apple says that the subscription has expired.")
        case 21007: Reason("verifyreceipt.21007", "The receipt is one of the sandbox.")
        case 21008: Reason("verifyreceipt.21008", "The receipt is one of production.")
        case 21010: Reason("verifyreceipt.21010", "Apple does not know the account, or no longer.")
        case 21009, 21100...21199:
            Reason("verifyreceipt.internal", "Apple cannot access its data (status \(code)).")
        default:
            // The code must not contain the upstream's number: it becomes a label of a metric, and the
            // upstream could create any number of labels.
            Reason("verifyreceipt.unknown_status", "Apple answered with a status that nobody knows.")
        }
    }

    private static let unreadable = Reason(
        "verifyreceipt.not_an_answer",
        "The response is no answer of verifyReceipt."
    )
    private static let unexplained = Reason(
        "verifyreceipt.no_status",
        "The response has no status, or is too long."
    )
    private static let withoutReceipt = Reason(
        "verifyreceipt.no_receipt",
        "Apple approves, and does not say of what."
    )
}

extension Reason {
    /// Returns the reason for an HTTP status. Only statuses from 100 to 599 have a code of their own.
    static func http(_ status: Int) -> Reason {
        let code = (100...599).contains(status) ? "http.\(status)" : "http.other"
        return Reason(code, "Apple answered with HTTP status \(status).")
    }
}
