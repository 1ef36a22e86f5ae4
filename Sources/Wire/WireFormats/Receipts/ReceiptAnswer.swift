/// The part of a result record beyond its outcome: the verdict, and every known purchase.
package struct ReceiptAnswer: Hashable, Sendable {
    /// The source of the verdict; the raw value is the word in the result.
    package enum Source: String, Hashable, Sendable, CaseIterable {
        /// Apple's verifyReceipt.
        case verifyReceipt = "verifyreceipt"
        /// Apple's App Store Server API.
        case serverAPI = "app_store_server_api"
        /// A signature that was verified here. It tells nothing about later refunds and renewals.
        case local
    }

    /// A purchase with its state at the time of the verdict.
    package struct Purchase: Hashable, Sendable {
        /// The purchase.
        package var transaction: StoreTransaction
        /// The state at the time of the verdict.
        package var state: StoreTransactionState
        /// The renewal of the subscription, if the purchase is its last period.
        package var renewal: StoreRenewal?
    }

    /// The verdict.
    package var verdict: ReceiptVerdict
    /// The fields that the result repeats of the record.
    package var header: ReceiptHeader
    /// The code of the check that decided; nil if none did.
    package var check: String?
    /// The environment of the purchases; nil if it is unknown.
    package var environment: StoreEnvironment?
    /// Whether the purchase was made outside production and the app's policy asks to flag it.
    package var isFlagged = false
    /// The source of the verdict; nil if there was none.
    package var source: Source?
    /// The form of the receipt; nil if there was none.
    package var form: ReceiptForm?
    /// The SHA-256 of the receipt's bytes, 32 bytes; empty if there was no receipt.
    package var receiptDigest: [UInt8] = []
    /// The shown purchases, the newest first.
    package var purchases: [Purchase] = []
    /// The least number of further purchases that exist but are not shown.
    package var leftOut = 0
    /// The HTTP status of Apple's last answer.
    package var httpStatus: Int?
    /// The status or error code in Apple's last answer.
    package var appleStatus: Int64?

    /// Makes an answer with a verdict, to be completed.
    package init(_ verdict: ReceiptVerdict, _ header: ReceiptHeader) {
        self.verdict = verdict
        self.header = header
    }

    /// This answer with half of its purchases: the newest, and always the claimed one. Nil if it has fewer
    /// than two. The verdict does not change.
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

    /// Shows the newest purchases, at most `limit` of them, and always the claimed one. `now` is in
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

/// The form of a receipt; the raw value is the word in the result.
package enum ReceiptForm: String, Hashable, Sendable, CaseIterable {
    /// An app receipt of iOS 7 and later.
    case app
    /// A transaction receipt of iOS 6 and earlier.
    case transaction
    /// A signed transaction of StoreKit 2.
    case signed
}

extension ReceiptInput {
    /// The form of the receipt.
    package var form: ReceiptForm {
        switch self {
        case .app: .app
        case .transaction: .transaction
        case .signed: .signed
        }
    }

    /// The receipt itself, without any wrapping of its transport.
    package var bytes: [UInt8] {
        switch self {
        case .app(let bytes), .transaction(let bytes), .signed(let bytes): bytes
        }
    }
}

extension StoreTransaction {
    /// The sort key: the time of purchase, then the transaction id, so that the order is always the same.
    fileprivate var order: (Int64, Int, String) {
        let id = self.transactionID ?? ""
        return (self.purchasedAt ?? .min, id.utf8.count, id)
    }
}
