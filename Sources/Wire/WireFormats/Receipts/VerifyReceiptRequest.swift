/// A request to verifyReceipt: JSON in the body of a POST, because a plus sign in a query would arrive as a
/// space.
package struct VerifyReceiptRequest: Hashable, Sendable {
    /// The receipt in standard base64 without line breaks.
    package var receiptData: String
    /// The app's shared secret; nil if the app has none. It must never be logged.
    package var password: [UInt8]?
    /// Whether Apple returns only the newest renewal of each subscription in `latest_receipt_info`.
    package var excludesOldTransactions: Bool

    /// The path of the service, to be appended to a host.
    package static let path = "/verifyReceipt"

    package init(receiptData: String, password: [UInt8]?, excludesOldTransactions: Bool) {
        self.receiptData = receiptData
        self.password = password
        self.excludesOldTransactions = excludesOldTransactions
    }

    /// The body of the request. It contains the shared secret.
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
    /// The address of verifyReceipt, without a slash at its end.
    package var verifyReceiptURL: String {
        switch self {
        case .production: "https://buy.itunes.apple.com"
        case .sandbox: "https://sandbox.itunes.apple.com"
        }
    }
}
