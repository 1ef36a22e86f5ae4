/// How each of an app's purchases stands at a moment.
package struct StoreStanding: Hashable, Sendable {
    private let renewals: [String: StoreRenewal]
    /// Of each subscription, when the last of its periods ends.
    private var lastEnds: [String: Int64] = [:]
    private let now: Int64

    /// `now` is in milliseconds since 1970.
    package init(of purchases: StorePurchases, now: Int64) {
        self.renewals = purchases.renewals
        self.now = now
        guard !self.renewals.isEmpty else { return }
        for transaction in purchases.transactions {
            guard let id = transaction.subscription, let end = transaction.expiresAt else { continue }
            self.lastEnds[id] = max(end, self.lastEnds[id] ?? end)
        }
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
    fileprivate var subscription: String? { self.originalTransactionID ?? self.transactionID }
}
