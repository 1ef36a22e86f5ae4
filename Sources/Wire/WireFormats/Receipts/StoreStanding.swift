/// The states of an app's purchases at one time.
package struct StoreStanding: Hashable, Sendable {
    private let renewals: [String: StoreRenewal]
    /// The end of the last period of each subscription. Periods that were revoked or upgraded count only if
    /// the subscription has no other.
    private var lastEnds: [String: Int64] = [:]
    private let now: Int64

    /// Prepares the states of purchases at `now`, in milliseconds since 1970.
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

    /// Returns the state of a transaction.
    package func state(of transaction: StoreTransaction) -> StoreTransactionState {
        StoreTransactionState(of: transaction, self.renewal(of: transaction), now: self.now)
    }

    /// Returns the renewal of a subscription, if the transaction is the subscription's last period. Nil for
    /// earlier periods, because others have followed them already.
    package func renewal(of transaction: StoreTransaction) -> StoreRenewal? {
        guard let id = transaction.subscription, let end = transaction.expiresAt, end == self.lastEnds[id]
        else {
            return nil
        }
        return self.renewals[id]
    }
}

extension StoreTransaction {
    /// The id that all periods of one subscription share.
    var subscription: String? { self.originalTransactionID ?? self.transactionID }
}
