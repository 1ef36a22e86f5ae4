/// How each of an app's purchases stands at a moment.
package struct StoreStanding: Hashable, Sendable {
    private let renewals: [String: StoreRenewal]
    /// Of each subscription, when the last of its periods ends. Those that were taken back or replaced
    /// count only where there is no other.
    private var lastEnds: [String: Int64] = [:]
    private let now: Int64

    /// `now` is in milliseconds since 1970.
    package init(of purchases: StorePurchases, now: Int64) {
        self.renewals = purchases.renewals
        self.now = now
        guard !self.renewals.isEmpty else { return }
        var counted: [String: Int64] = [:]
        for transaction in purchases.transactions {
            guard let id = transaction.subscription, let end = transaction.expiresAt else { continue }
            self.lastEnds[id] = max(end, self.lastEnds[id] ?? end)
            guard !transaction.isRevoked, transaction.isUpgraded != true else { continue }
            counted[id] = max(end, counted[id] ?? end)
        }
        self.lastEnds.merge(counted) { $1 }
    }

    package func state(of transaction: StoreTransaction) -> StoreTransactionState {
        StoreTransactionState(of: transaction, self.renewal(of: transaction), now: self.now)
    }

    /// Whether and how a subscription goes on after this period of it; nil for periods before the last, which others
    /// have followed already.
    package func renewal(of transaction: StoreTransaction) -> StoreRenewal? {
        guard let id = transaction.subscription, let end = transaction.expiresAt, end == self.lastEnds[id]
        else {
            return nil
        }
        return self.renewals[id]
    }
}

extension StoreTransaction {
    /// What the periods of one subscription share.
    var subscription: String? { self.originalTransactionID ?? self.transactionID }
}
