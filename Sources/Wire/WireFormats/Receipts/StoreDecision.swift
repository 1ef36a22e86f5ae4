/// The next step after an answer of Apple's about a purchase, of whichever of its interfaces.
package enum StoreDecision: String, Hashable, Sendable, CaseIterable {
    /// The answer can be used.
    case accept = "ACCEPT"
    /// The answer can be used, and Apple says that a subscription's time is over.
    case acceptExpired = "ACCEPT_EXPIRED"
    /// The sandbox has to be asked instead.
    case trySandbox = "TRY_SANDBOX"
    /// Production has to be asked instead.
    case tryProduction = "TRY_PRODUCTION"
    /// The call may succeed later.
    case retry = "RETRY"
    /// The call may succeed within a few more tries; after them an engineer has to look at it.
    case retryLimited = "RETRY_LIMITED"
    /// Apple refuses the purchase for good.
    case reject = "REJECT"
    /// Only a fault of this worker or of its configuration explains the answer.
    case configuration = "CONFIG"
}

extension StoreDecision {
    /// Returns the decision to ask the other host, unless that host was asked in this attempt already: the
    /// two hosts have been seen to refer the same purchase to each other. `decision` is the result then.
    static func other(than host: StoreHost, after visited: Set<StoreHost>, else decision: Self) -> Self {
        guard !visited.contains(host.other) else { return decision }
        return host.other == .sandbox ? .trySandbox : .tryProduction
    }
}
