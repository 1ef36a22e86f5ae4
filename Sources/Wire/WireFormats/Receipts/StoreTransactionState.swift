/// The state of a purchase at one time; the raw value is the word in the result.
package enum StoreTransactionState: String, Hashable, Sendable, CaseIterable {
    /// The purchase stands.
    case active
    /// The time is over and the charge failed, but Apple asks to let the subscription go on for now.
    case grace
    /// The time is over, and Apple still tries to charge the customer.
    case billingRetry = "billing_retry"
    /// The time is over.
    case expired
    /// A better subscription of the same group took the purchase's place.
    case upgraded
    /// Apple took the purchase back.
    case revoked
    /// The purchase lacks a fact that decides its state: its product, or the end of its time.
    case unknown

    /// Determines the state at `now`, in milliseconds since 1970.
    ///
    /// - Parameter renewal: the renewal of the subscription, if the transaction is its last period.
    package init(of transaction: StoreTransaction, _ renewal: StoreRenewal?, now: Int64) {
        if transaction.isRevoked {
            self = .revoked
        } else if transaction.isUpgraded == true {
            self = .upgraded
        } else if transaction.isOver(at: now) {
            if renewal?.hasGrace(at: now) == true {
                self = .grace
            } else {
                self = renewal?.isInBillingRetry == true ? .billingRetry : .expired
            }
        } else {
            self = transaction.lack == nil ? .active : .unknown
        }
    }

    /// Whether the customer is entitled to the purchase.
    package var isGood: Bool { self == .active || self == .grace }
}

extension StoreTransaction {
    /// Returns whether the time of the purchase is over. An end that cannot be read counts as passed.
    fileprivate func isOver(at now: Int64) -> Bool {
        self.isCalledOver || self.hasUnreadableExpiry || self.expiresAt.map { $0 <= now } ?? false
    }
}

extension StoreRenewal {
    fileprivate func hasGrace(at now: Int64) -> Bool {
        self.gracePeriodExpiresAt.map { $0 > now } ?? self.isInGrace
    }
}
