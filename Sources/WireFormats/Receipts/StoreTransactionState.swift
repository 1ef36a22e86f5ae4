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
    /// It lacks what says how it stands: of which product it is, or when its time is over.
    case unknown

    /// `now` is in milliseconds since 1970.
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

    /// Whether the customer is to have what was bought.
    package var isGood: Bool { self == .active || self == .grace }
}

extension StoreTransaction {
    /// An end that cannot be read may have passed.
    fileprivate func isOver(at now: Int64) -> Bool {
        self.isCalledOver || self.hasUnreadableExpiry || self.expiresAt.map { $0 <= now } ?? false
    }
}

extension StoreRenewal {
    fileprivate func hasGrace(at now: Int64) -> Bool {
        self.gracePeriodExpiresAt.map { $0 > now } ?? self.isInGrace
    }
}
