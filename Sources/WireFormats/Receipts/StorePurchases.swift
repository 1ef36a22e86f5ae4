/// What is known of an app's purchases, from whatever source.
package struct StorePurchases: Hashable, Sendable {
    /// Nil if the source does not name the app.
    package var bundleID: String?
    package var environment: StoreEnvironment?
    /// Each transaction id once, in no order that means anything.
    package var transactions: [StoreTransaction] = []
    /// Whether and how subscriptions go on, by their original transaction id.
    package var renewals: [String: StoreRenewal] = [:]
    /// When the whole ends, of purchases by volume: milliseconds since 1970.
    package var expiresAt: Int64?
    /// There is more than was read.
    package var isIncomplete = false
    /// Transactions that were dropped, since they have no id.
    package var nameless = 0
    /// It says when the whole ends, and that cannot be read.
    private var hasUnreadableExpiry = false

    /// Nobody has bought this much; what has more is cut there.
    package static let transactionsLimit = 20_000

    package init(bundleID: String? = nil, environment: StoreEnvironment? = nil) {
        self.bundleID = bundleID
        self.environment = environment
    }

    /// Of a receipt that was decoded here.
    package init(_ receipt: AppReceipt) {
        self.init(bundleID: receipt.bundleID, environment: receipt.environment)
        self.expiresAt = receipt.expiresAt
        self.add(receipt.purchases)
    }

    package init(_ transaction: StoreTransaction) {
        self.init(bundleID: transaction.bundleID, environment: transaction.environment)
        self.add([transaction])
    }

    /// Takes up transactions: one that is known already is replaced, and stays taken back if it was. One without an id
    /// can be granted to nobody, and is dropped.
    package mutating func add(_ more: [StoreTransaction]) {
        var places: [String: Int] = [:]
        for (place, transaction) in self.transactions.enumerated() {
            transaction.transactionID.map { places[$0] = place }
        }
        for transaction in more {
            guard let id = transaction.transactionID, !id.isEmpty else {
                self.nameless += 1
                continue
            }
            if let place = places[id] {
                let known = self.transactions[place]
                self.transactions[place] = transaction
                self.transactions[place].revokedAt = transaction.revokedAt ?? known.revokedAt
                self.transactions[place].isRevokedUndated =
                    transaction.isRevokedUndated || known.isRevokedUndated
                if transaction.expiresAt == nil, !transaction.hasUnreadableExpiry {
                    self.transactions[place].expiresAt = known.expiresAt
                }
                self.transactions[place].productType = transaction.productType ?? known.productType
            } else if self.transactions.count < Self.transactionsLimit {
                places[id] = self.transactions.count
                self.transactions.append(transaction)
            } else {
                self.isIncomplete = true
            }
        }
    }

    /// Takes up a transaction of a subscription, with what Apple says of its state beside it.
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

    /// Forgets what turned out to be somebody else's: a transaction, and what belongs to the same subscription.
    package mutating func remove(_ id: String) {
        let subscription = self.transactions.first { $0.transactionID == id }?.subscription
        self.transactions.removeAll { $0.transactionID == id || $0.subscription == subscription }
        for key in [id, subscription].compactMap(\.self) { self.renewals[key] = nil }
    }

    mutating func setExpiry(_ time: StatedTime) {
        self.expiresAt = time.milliseconds
        self.hasUnreadableExpiry = time == .unreadable
    }

    /// Why nothing can be concluded from this, whatever it says beside; nil if that is not so.
    package var flaw: Flaw? {
        if self.hasUnreadableExpiry || self.transactions.contains(where: \.hasUnreadableExpiry) {
            return .unreadableExpiry
        }
        return self.transactions.isEmpty && self.nameless > 0 ? .withoutIDs : nil
    }

    package enum Flaw: String, Hashable, Sendable {
        case unreadableExpiry = "unreadable_expiry"
        case withoutIDs = "without_id"

        /// In words, under a code that says whose purchases they are.
        package func reason(in place: String) -> Reason {
            let message =
                switch self {
                case .unreadableExpiry: "It says when a purchase ends in a way that cannot be read."
                case .withoutIDs: "There are purchases, and none of them has an id."
                }
            return Reason("\(place).\(self.rawValue)", message)
        }
    }

    /// Takes kinds of products and ends of subscriptions from another source, where they are not known.
    package mutating func learn(from others: [StoreTransaction]) {
        var known: [String: StoreTransaction] = [:]
        for other in others { other.transactionID.map { known[$0] = other } }
        guard !known.isEmpty else { return }
        for index in self.transactions.indices {
            guard let other = self.transactions[index].transactionID.flatMap({ known[$0] }) else { continue }
            if self.transactions[index].productType == nil {
                self.transactions[index].productType = other.productType
            }
            if self.transactions[index].expiresAt == nil {
                self.transactions[index].expiresAt = other.expiresAt
            }
        }
    }

    /// Apple calls the subscription over that these are about: whatever may be a period of it is.
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
