/// What an answer of Apple's about a purchase leads to, whichever interface gave it.
package enum StoreDecision: String, Hashable, Sendable, CaseIterable {
    case accept = "ACCEPT"
    /// Accepted, and Apple says that a subscription's time is over.
    case acceptExpired = "ACCEPT_EXPIRED"
    /// The other environment has to be asked.
    case trySandbox = "TRY_SANDBOX"
    case tryProduction = "TRY_PRODUCTION"
    case retry = "RETRY"
    /// Worth a few more tries, and then a person has to look at it.
    case retryLimited = "RETRY_LIMITED"
    case reject = "REJECT"
    /// Only a fault of this worker or of its configuration explains it.
    case configuration = "CONFIG"
}

extension StoreDecision {
    /// The other host's turn, unless it has had its turn in this attempt: the two have been seen to send each other
    /// the same purchase.
    static func other(than host: StoreHost, after visited: Set<StoreHost>, else decision: Self) -> Self {
        guard !visited.contains(host.other) else { return decision }
        return host.other == .sandbox ? .trySandbox : .tryProduction
    }
}
