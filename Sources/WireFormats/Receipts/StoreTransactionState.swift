/// How a purchase stands at a moment.
package enum StoreTransactionState: String, Hashable, Sendable, CaseIterable {
    case active
    /// Its time is over and it could not be charged; Apple asks to let it go on for now.
    case grace
    /// Its time is over, and Apple still tries to charge it.
    case billingRetry = "billing_retry"
    case expired
    /// A better subscription of its group took its place.
    case upgraded
    case revoked

    /// `now` is in milliseconds since 1970.
    package init(of transaction: StoreTransaction, _ renewal: StoreRenewal?, now: Int64) {
        if transaction.revokedAt != nil {
            self = .revoked
        } else if transaction.isUpgraded == true {
            self = .upgraded
        } else if let expiresAt = transaction.expiresAt, expiresAt <= now {
            if let grace = renewal?.gracePeriodExpiresAt, grace > now {
                self = .grace
            } else {
                self = renewal?.isInBillingRetry == true ? .billingRetry : .expired
            }
        } else {
            self = .active
        }
    }

    /// Whether the customer is to have what was bought.
    package var isGood: Bool { self == .active || self == .grace }
}
