/// The checks after Apple, or a signature, has approved a receipt. A genuine receipt may be one of another
/// app, of another product, or of a subscription that ended long ago.
package struct ReceiptJudgement: Hashable, Sendable {
    /// The verdict.
    package var verdict: ReceiptVerdict
    /// The check that decided; nil if none objected.
    package var check: Reason?
    /// Whether the purchase was made outside production and the app's policy asks to flag such purchases.
    package var isFlagged = false
    /// Whether purchases that were not read could lead to another verdict.
    package var isOpen = false
    /// Whether the verdict is `unavailable` only because a purchase lacks a fact that the verdict depends on.
    package var isLacking = false

    /// Judges an app's purchases against a client's claim. `now` is in milliseconds since 1970.
    package init(
        of purchases: StorePurchases,
        claimed claim: StoreClaim,
        by policy: StorePolicy,
        now: Int64
    ) {
        // A purchase whose environment is unknown is treated as one outside production, which earns nothing.
        let isInProduction = purchases.environment == .production
        if purchases.bundleID == nil {
            self.init(.unavailable, .nameless)
        } else if purchases.bundleID != claim.bundleID {
            self.init(.notOurs, .foreign)
        } else if !isInProduction, policy.outsideProduction == .reject {
            self.init(.invalid, .environment)
        } else {
            self.init(of: purchases, claim, policy: policy, now: now)
            // If the claimed transaction itself is known, other purchases cannot change the verdict.
            self.isOpen =
                self.verdict != .valid
                && !purchases.transactions.contains { $0.transactionID == claim.transactionID }
        }
        if let expiresAt = purchases.expiresAt, expiresAt <= now, self.verdict.isOfRealPurchase {
            (self.verdict, self.check, self.isOpen) = (.expired, .receiptExpired, false)
        }
        self.isFlagged =
            !isInProduction && policy.outsideProduction == .flag && purchases.bundleID == claim.bundleID
    }

    private init(_ verdict: ReceiptVerdict, _ check: Reason?) {
        self.verdict = verdict
        self.check = check
    }

    private init(
        of purchases: StorePurchases,
        _ claim: StoreClaim,
        policy: StorePolicy,
        now: Int64
    ) {
        var claimed = purchases.transactions
        if let id = claim.transactionID {
            claimed = claimed.filter { $0.transactionID == id }
            guard !claimed.isEmpty else {
                self.init(.invalid, .transactionMissing)
                return
            }
        }
        if let product = claim.productID {
            claimed = claimed.filter { $0.productID == product || $0.lack == .product }
            guard !claimed.isEmpty else {
                self.init(.invalid, .productMissing)
                return
            }
        }
        if policy.products != nil, !claimed.isEmpty {
            claimed = claimed.filter { policy.sells($0) || $0.lack == .product }
            guard !claimed.isEmpty else {
                self.init(.invalid, .productUnknown)
                return
            }
        }
        let standing = StoreStanding(of: purchases, now: now)
        var states = Set(claimed.map { standing.state(of: $0) })
        if claim.transactionID != nil, let period = claimed.first {
            states.formUnion(standing.statesGoingOn(from: period, claim, policy, in: purchases))
        }
        self.init(states)
        guard states.contains(.unknown), self.verdict == .unavailable else { return }
        self.isLacking = true
        let lacks = claimed.filter { standing.state(of: $0) == .unknown }.compactMap(\.lack)
        self.check = lacks.contains(.product) ? .withoutProduct : .withoutExpiry
    }

    /// Takes the verdict of the purchases' states. One good purchase makes the verdict `valid`; otherwise the
    /// mildest state decides, in the order unknown, billing retry, expired, upgraded, revoked. No purchases
    /// at all are `valid` too.
    private init(_ states: Set<StoreTransactionState>) {
        if states.isEmpty || states.contains(where: \.isGood) {
            self.init(.valid, nil)
        } else if states.contains(.unknown) {
            self.init(.unavailable, nil)
        } else if states.contains(.billingRetry) {
            self.init(.expired, .billingRetry)
        } else if states.contains(.expired) {
            self.init(.expired, .expired)
        } else if states.contains(.upgraded) {
            self.init(.expired, .upgraded)
        } else {
            self.init(.refunded, .revoked)
        }
    }
}

extension ReceiptVerdict {
    /// Whether the claimed purchase exists and belongs to our app.
    fileprivate var isOfRealPurchase: Bool {
        switch self {
        case .valid, .expired, .refunded: true
        case .invalid, .notOurs, .unavailable: false
        }
    }
}

extension StoreStanding {
    /// Returns the good states among later periods of the same subscription, if the claimed period simply
    /// ended: a client that claims last month's renewal has this month's too. A period that was refunded or
    /// upgraded is not replaced in this way, and a later period of another product than the claimed one does
    /// not count.
    fileprivate func statesGoingOn(
        from period: StoreTransaction,
        _ claim: StoreClaim,
        _ policy: StorePolicy,
        in purchases: StorePurchases
    ) -> [StoreTransactionState] {
        guard [.expired, .billingRetry].contains(self.state(of: period)), let end = period.expiresAt else {
            return []
        }
        return purchases.transactions.filter {
            $0.subscription == period.subscription && $0.expiresAt.map { $0 > end } ?? false
                && (claim.productID == nil || $0.productID == claim.productID) && policy.sells($0)
        }
        .map { self.state(of: $0) }.filter(\.isGood)
    }
}

extension Reason {
    fileprivate static let receiptExpired = Reason(
        "receipt.expired",
        "The time of the whole receipt is over, as of a purchase by volume."
    )
    fileprivate static let foreign = Reason(
        "bundle.foreign",
        "The receipt is a true one of another app."
    )
    fileprivate static let nameless = Reason(
        "bundle.nameless",
        "The receipt does not say which app it is of."
    )
    fileprivate static let withoutProduct = Reason(
        "transaction.without_product",
        "The purchase does not say of which product it is."
    )
    fileprivate static let withoutExpiry = Reason(
        "transaction.without_expiry",
        "The subscription does not say when its time is over."
    )
    fileprivate static let environment = Reason(
        "environment.not_production",
        "The purchase was not made in production, which this app does not let pass."
    )
    fileprivate static let transactionMissing = Reason(
        "transaction.not_in_receipt",
        "The claimed transaction is not in the receipt. A consumable leaves it once it is finished."
    )
    fileprivate static let productMissing = Reason(
        "product.not_in_receipt",
        "The receipt, or the claimed transaction, is not of the claimed product."
    )
    fileprivate static let productUnknown = Reason(
        "product.unknown",
        "The app sells no such product."
    )
    fileprivate static let expired = Reason("transaction.expired", "The subscription's time is over.")
    fileprivate static let billingRetry = Reason(
        "transaction.billing_retry",
        "The subscription's time is over, and Apple still tries to charge it."
    )
    fileprivate static let upgraded = Reason(
        "transaction.upgraded",
        "A better subscription has taken its place."
    )
    fileprivate static let revoked = Reason("transaction.revoked", "Apple took the purchase back.")
}
