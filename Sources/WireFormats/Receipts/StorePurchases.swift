/// What is known of an app's purchases, from whatever source.
package struct StorePurchases: Hashable, Sendable {
    /// Nil if the source does not name the app.
    package var bundleID: String?
    package var environment: StoreEnvironment?
    /// Each transaction id once, in no order that means anything.
    package var transactions: [StoreTransaction] = []
    /// Whether and how subscriptions go on, by their original transaction id.
    package var renewals: [String: StoreRenewal] = [:]
    /// There is more than was read.
    package var isIncomplete = false

    /// Nobody has bought this much; what has more is cut there.
    package static let transactionsLimit = 20_000

    package init(bundleID: String? = nil, environment: StoreEnvironment? = nil) {
        self.bundleID = bundleID
        self.environment = environment
    }

    /// Of a receipt that was decoded here.
    package init(_ receipt: AppReceipt) {
        self.init(bundleID: receipt.bundleID, environment: receipt.environment)
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
            guard let id = transaction.transactionID, !id.isEmpty else { continue }
            if let place = places[id] {
                let known = self.transactions[place]
                self.transactions[place] = transaction
                self.transactions[place].revokedAt = transaction.revokedAt ?? known.revokedAt
                self.transactions[place].productType = transaction.productType ?? known.productType
            } else if self.transactions.count < Self.transactionsLimit {
                places[id] = self.transactions.count
                self.transactions.append(transaction)
            } else {
                self.isIncomplete = true
            }
        }
    }

    /// What kinds of products these are, where only another source says so.
    package mutating func learnProductTypes(from others: [StoreTransaction]) {
        var types: [String: StoreProductType] = [:]
        for other in others {
            if let id = other.transactionID, let type = other.productType { types[id] = type }
        }
        guard !types.isEmpty else { return }
        for index in self.transactions.indices where self.transactions[index].productType == nil {
            self.transactions[index].productType = self.transactions[index].transactionID.flatMap {
                types[$0]
            }
        }
    }
}
