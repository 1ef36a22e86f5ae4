/// What a result record says beyond its outcome: the verdict, and every purchase that is known of.
package struct ReceiptAnswer: Hashable, Sendable {
    /// Who says so.
    package enum Source: String, Hashable, Sendable, CaseIterable {
        case verifyReceipt = "verifyreceipt"
        case serverAPI = "app_store_server_api"
        /// A signature, which knows nothing of what came after it.
        case local
    }

    package struct Purchase: Hashable, Sendable {
        package var transaction: StoreTransaction
        package var state: StoreTransactionState
        package var renewal: StoreRenewal?
    }

    package var verdict: ReceiptVerdict
    package var header: ReceiptHeader
    /// The check's code, where one decided.
    package var check: String?
    package var environment: StoreEnvironment?
    package var isFlagged = false
    package var source: Source?
    package var form: ReceiptForm?
    package var receiptDigest: [UInt8] = []
    /// The newest first.
    package var purchases: [Purchase] = []
    /// At least this many more are known of, or known to be.
    package var leftOut = 0
    package var httpStatus: Int?
    package var appleStatus: Int64?

    package init(_ verdict: ReceiptVerdict, _ header: ReceiptHeader) {
        self.verdict = verdict
        self.header = header
    }

    /// The same with half of the purchases, the newest of them and always the claimed one; nil if there are none to leave
    /// out. The verdict stays what it is.
    package var shortened: ReceiptAnswer? {
        guard self.purchases.count > 1 else { return nil }
        let claimed = self.header.transactionID
        var shorter = self
        shorter.purchases = Array(self.purchases.prefix(self.purchases.count / 2))
        if let purchase = self.purchases.first(where: {
            !claimed.isEmpty && $0.transaction.transactionID == claimed
        }),
            !shorter.purchases.contains(purchase)
        {
            shorter.purchases = shorter.purchases.dropLast() + [purchase]
        }
        shorter.leftOut += self.purchases.count - shorter.purchases.count
        return shorter
    }

    /// Shows purchases, the newest of them where there are more than `limit`, and always the claimed one. `now` is in
    /// milliseconds since 1970.
    package mutating func show(_ known: StorePurchases, limit: Int, now: Int64) {
        let standing = StoreStanding(of: known, now: now)
        let newestFirst = known.transactions.sorted { $0.order > $1.order }
        var shown = Array(newestFirst.prefix(max(0, limit)))
        let claimed = self.header.transactionID
        if !claimed.isEmpty, !shown.contains(where: { $0.transactionID == claimed }),
            let transaction = newestFirst.first(where: { $0.transactionID == claimed })
        {
            shown = shown.dropLast() + [transaction]
        }
        self.environment = known.environment
        self.leftOut = newestFirst.count - shown.count + (known.isIncomplete ? 1 : 0)
        self.purchases = shown.map {
            Purchase(transaction: $0, state: standing.state(of: $0), renewal: standing.renewal(of: $0))
        }
    }
}

/// Which form a receipt has.
package enum ReceiptForm: String, Hashable, Sendable, CaseIterable {
    case app
    /// Of iOS 6 and earlier.
    case transaction
    case signed
}

extension ReceiptInput {
    package var form: ReceiptForm {
        switch self {
        case .app: .app
        case .transaction: .transaction
        case .signed: .signed
        }
    }

    /// The receipt itself, without what a transport wrapped around it.
    package var bytes: [UInt8] {
        switch self {
        case .app(let bytes), .transaction(let bytes), .signed(let bytes): bytes
        }
    }
}

extension StoreTransaction {
    /// By the time of purchase, and where that is the same by the id, so that the order is always the same.
    fileprivate var order: (Int64, Int, String) {
        let id = self.transactionID ?? ""
        return (self.purchasedAt ?? .min, id.utf8.count, id)
    }
}
