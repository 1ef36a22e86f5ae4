import Harness
import Records
import UpstreamSimulator
import WireFormats
import WireMessages

/// Makes messages with proofs of purchases, and the contents of the simulated store.
struct Receipts {
    /// The apps of the demo. Each has its own way of verification.
    enum App: String {
        /// The app whose purchases are verified with verifyReceipt.
        case shop
        /// The app whose purchases are verified with the App Store Server API.
        case books
        /// The app whose purchases are verified locally, by their signature alone.
        case quiet
        /// The app that is configured for verifyReceipt, but that Apple does not know.
        case gone

        var bundleID: String { "com.example.\(self.rawValue)" }
    }

    /// The purchases of the demo, by transaction id. Some of them are not in the store.
    enum Item: String, CaseIterable {
        case subscription = "2000000000000001"
        case lapsed = "2000000000000002"
        case refunded = "2000000000000003"
        case tested = "2000000000000004"
        case book = "2000000000000011"
        case bookSubscription = "2000000000000012"
        case testedBook = "2000000000000013"
        case freshBook = "2000000000000014"
        case slowBook = "2000000000000015"
        case oddBook = "2000000000000016"
        case throttledBook = "2000000000000017"
        case unknownBook = "2000000000000018"
        case signed = "2000000000000021"
        case lost = "2000000000000031"

        var app: App {
            switch self {
            case .subscription, .lapsed, .refunded, .tested: .shop
            case .signed: .quiet
            case .lost: .gone
            default: .books
            }
        }
    }

    private static let day: Int64 = 24 * 3_600 * 1_000

    let topic: String
    /// The start of the demo in wall-clock milliseconds since 1970.
    let now: Int64

    func purchase(_ item: Item) -> SimulatedPurchase {
        var purchase = SimulatedPurchase(
            transactionID: item.rawValue,
            bundleID: item.app.bundleID,
            productID: "\(item.app.bundleID).\(item)",
            isSandbox: item == .tested || item == .testedBook,
            purchasedAt: self.now - 2 * Self.day,
            expiresAt: self.expiry(of: item),
            revokedAt: item == .refunded ? self.now - Self.day : nil
        )
        purchase.lag = item == .freshBook ? 2 : nil
        return purchase
    }

    private func expiry(of item: Item) -> Int64? {
        switch item {
        case .subscription, .bookSubscription: self.now + Self.day
        case .lapsed: self.now - Self.day
        default: nil
        }
    }

    /// The purchases that the simulated store knows.
    var purchases: [SimulatedPurchase] {
        Item.allCases.filter { ![.unknownBook, .signed, .lost].contains($0) }.map(self.purchase)
    }

    /// A message with the receipt that the app holds for a purchase.
    func withReceipt(_ item: Item) -> Flotilla_Receipt_V1_Receipt {
        var message = self.message(of: item.app)
        message.receiptData = SimulatedReceipt.text(of: self.purchase(item))
        return message
    }

    /// A message with the id of a purchase only.
    func withID(_ item: Item) -> Flotilla_Receipt_V1_Receipt {
        var message = self.message(of: item.app)
        message.transactionID = item.rawValue
        return message
    }

    func message(of app: App) -> Flotilla_Receipt_V1_Receipt {
        var message = Flotilla_Receipt_V1_Receipt()
        message.bundleID = app.bundleID
        return message
    }

    func record(
        _ message: Flotilla_Receipt_V1_Receipt,
        of account: String,
        as format: ValueFormat = .json
    ) -> OutboundRecord {
        OutboundRecord(
            topic: self.topic,
            key: Array("account-\(account)".utf8),
            value: message.written(as: format),
            headers: [RecordHeader("content-type", format.contentType)]
        )
    }
}
