/// The known purchases of an app, from any source.
package struct StorePurchases: Hashable, Sendable {
    /// The app's bundle id; nil if the source does not name the app.
    package var bundleID: String?
    /// The environment of the purchases; nil if the source does not name it.
    package var environment: StoreEnvironment?
    /// The transactions, each id once, in no particular order.
    package var transactions: [StoreTransaction] = []
    /// The renewals of subscriptions, by their original transaction id.
    package var renewals: [String: StoreRenewal] = [:]
    /// The time at which the whole receipt expires, for volume purchases, in milliseconds since 1970.
    package var expiresAt: Int64?
    /// Whether the app has more purchases than were read.
    package var isIncomplete = false
    /// The number of transactions that were dropped because they have no id.
    package var nameless = 0
    /// Whether the source states when the whole receipt expires, in a form that cannot be read.
    private var hasUnreadableExpiry = false

    /// The most transactions that are kept; nobody has bought as much. Further ones are dropped.
    package static let transactionsLimit = 20_000

    package init(bundleID: String? = nil, environment: StoreEnvironment? = nil) {
        self.bundleID = bundleID
        self.environment = environment
    }

    /// Takes the purchases of an app receipt that was decoded here.
    package init(_ receipt: AppReceipt) {
        self.init(bundleID: receipt.bundleID, environment: receipt.environment)
        self.expiresAt = receipt.expiresAt
        self.add(receipt.purchases)
    }

    /// Takes a single transaction.
    package init(_ transaction: StoreTransaction) {
        self.init(bundleID: transaction.bundleID, environment: transaction.environment)
        self.add([transaction])
    }

    /// Adds transactions. One with a known id replaces the older one, and stays revoked if that was. One
    /// without an id is dropped, because nobody can be granted it.
    package mutating func add(_ more: [StoreTransaction]) {
        // By bytes: anybody can write a receipt, with ids of any length.
        var places: [ExactText: Int] = [:]
        for (place, transaction) in self.transactions.enumerated() {
            if let id = transaction.transactionID { places[ExactText(id)] = place }
        }
        for transaction in more {
            guard let id = transaction.transactionID, !id.isEmpty else {
                self.nameless += 1
                continue
            }
            if let place = places[ExactText(id)] {
                let known = self.transactions[place]
                self.transactions[place] = transaction
                self.transactions[place].revokedAt = transaction.revokedAt ?? known.revokedAt
                self.transactions[place].isRevokedUndated =
                    transaction.isRevokedUndated || known.isRevokedUndated
                if transaction.expiresAt == nil, !transaction.hasUnreadableExpiry {
                    self.transactions[place].expiresAt = known.expiresAt
                    self.transactions[place].hasUnreadableExpiry = known.hasUnreadableExpiry
                }
                self.transactions[place].productType = transaction.productType ?? known.productType
            } else if self.transactions.count < Self.transactionsLimit {
                places[ExactText(id)] = self.transactions.count
                self.transactions.append(transaction)
            } else {
                self.isIncomplete = true
            }
        }
    }

    /// Adds a transaction of a subscription together with the state that Apple states for it.
    package mutating func add(_ transaction: StoreTransaction, saidToBe status: AppStoreAnswer.Status?) {
        var transaction = transaction
        if status == .revoked, !transaction.isRevoked { transaction.isRevokedUndated = true }
        transaction.isCalledOver = [.expired, .billingRetry, .grace].contains(status)
        self.add([transaction])
        guard let id = transaction.subscription, status == .grace || status == .billingRetry else { return }
        var renewal = self.renewals[id] ?? StoreRenewal()
        renewal.originalTransactionID = id
        renewal.isInGrace = status == .grace
        renewal.isInBillingRetry = renewal.isInBillingRetry ?? true
        self.renewals[id] = renewal
    }

    /// Removes a transaction that turned out to be another customer's, and everything of the same
    /// subscription.
    package mutating func remove(_ id: String) {
        let subscription = self.transactions.first { $0.transactionID == id }?.subscription
        self.transactions.removeAll { $0.transactionID == id || $0.subscription == subscription }
        for key in [id, subscription].compactMap(\.self) { self.renewals[key] = nil }
    }

    mutating func setExpiry(_ time: StatedTime) {
        self.expiresAt = time.milliseconds
        self.hasUnreadableExpiry = time == .unreadable
    }

    /// The reason why these purchases allow no conclusion, whatever else they say; nil if they do allow one.
    package var flaw: Flaw? {
        if self.hasUnreadableExpiry || self.transactions.contains(where: \.hasUnreadableExpiry) {
            return .unreadableExpiry
        }
        return self.transactions.isEmpty && self.nameless > 0 ? .withoutIDs : nil
    }

    /// A fault in the data of purchases; the raw value is the last part of a reason code.
    package enum Flaw: String, Hashable, Sendable {
        /// The end of a purchase is stated in a form that cannot be read.
        case unreadableExpiry = "unreadable_expiry"
        /// The source has purchases, but none of them has an id.
        case withoutIDs = "without_id"

        /// Returns the flaw as a reason, under a code that begins with the source of the purchases.
        package func reason(in place: String) -> Reason {
            let message =
                switch self {
                case .unreadableExpiry: "It says when a purchase ends in a way that cannot be read."
                case .withoutIDs: "There are purchases, and none of them has an id."
                }
            return Reason("\(place).\(self.rawValue)", message)
        }
    }

    /// Takes product types and subscription ends from another source, where they are unknown here.
    package mutating func learn(from others: [StoreTransaction]) {
        var known: [ExactText: StoreTransaction] = [:]
        for other in others {
            if let id = other.transactionID { known[ExactText(id)] = other }
        }
        guard !known.isEmpty else { return }
        for index in self.transactions.indices {
            guard let id = self.transactions[index].transactionID, let other = known[ExactText(id)] else {
                continue
            }
            if self.transactions[index].productType == nil {
                self.transactions[index].productType = other.productType
            }
            if self.transactions[index].expiresAt == nil {
                self.transactions[index].expiresAt = other.expiresAt
            }
        }
    }

    /// Marks the purchases as over, because Apple says so of their subscription: every dated one, and every
    /// one that may be a period of it.
    ///
    /// - Parameter onlyUndated: marks only transactions without a date, and leaves the others to their date.
    package mutating func callOver(onlyUndated: Bool = false) {
        for index in self.transactions.indices {
            let transaction = self.transactions[index]
            let mayBeOfIt = [nil, .autoRenewableSubscription].contains(transaction.productType)
            let isDated = transaction.expiresAt != nil
            guard onlyUndated ? !isDated : isDated || mayBeOfIt else { continue }
            self.transactions[index].isCalledOver = true
        }
    }
}
