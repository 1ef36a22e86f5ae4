/// A request to verifyReceipt: JSON, always posted, since a plus sign in a query would arrive as a space.
package struct VerifyReceiptRequest: Hashable, Sendable {
    /// Standard base64 without line breaks.
    package var receiptData: String
    /// The app's shared secret; nil if the app has none. Never to be logged.
    package var password: [UInt8]?
    /// Only the newest renewal of each subscription in `latest_receipt_info`.
    package var excludesOldTransactions: Bool

    package static let path = "/verifyReceipt"

    package init(receiptData: String, password: [UInt8]?, excludesOldTransactions: Bool) {
        self.receiptData = receiptData
        self.password = password
        self.excludesOldTransactions = excludesOldTransactions
    }

    package var body: [UInt8] {
        var json = JSONWriter(reserving: self.receiptData.utf8.count + 160)
        json.object { json in
            json.string("receipt-data", self.receiptData)
            json.optionalString("password", self.password.map { String(decoding: $0, as: UTF8.self) })
            if self.excludesOldTransactions { json.bool("exclude-old-transactions", true) }
        }
        return json.text
    }
}

extension StoreHost {
    package var verifyReceiptURL: String {
        switch self {
        case .production: "https://buy.itunes.apple.com"
        case .sandbox: "https://sandbox.itunes.apple.com"
        }
    }
}
