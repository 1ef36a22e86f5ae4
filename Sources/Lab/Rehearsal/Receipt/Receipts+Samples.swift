import Harness
import Records
import UpstreamSimulator
import WireFormats
import WireMessages

// The records of each step.
extension Receipts {
    func good() -> [Sample] {
        func receipt(_ item: Item) -> OutboundRecord {
            self.record(self.withReceipt(item), of: item.rawValue)
        }
        func id(_ item: Item) -> OutboundRecord { self.record(self.withID(item), of: item.rawValue) }
        let signed = self.record(self.signed(.signed), of: "quiet", as: .protobuf)
        return [
            .good("receipt: a subscription", receipt(.subscription), word: "valid"),
            .good(
                "receipt: its time is over",
                receipt(.lapsed),
                word: "expired",
                detail: "transaction.expired"
            ),
            .good("receipt: taken back", receipt(.refunded), word: "refunded", detail: "transaction.revoked"),
            .good(
                "receipt: 21007, so sandbox",
                receipt(.tested),
                word: "valid",
                detail: "flagged: Sandbox",
                calls: 2,
                followUps: 1
            ),
            .good("id: a book", id(.book), word: "valid"),
            .good(
                "id: a subscription",
                id(.bookSubscription),
                word: "valid",
                calls: 2,
                followUps: 1,
                accepted: 2
            ),
            .good(
                "id: 404, so sandbox",
                id(.testedBook),
                word: "valid",
                detail: "flagged: Sandbox",
                calls: 2,
                followUps: 1
            ),
            .good("signed: nobody is asked", signed, word: "valid", calls: 0, accepted: 0),
        ]
    }

    /// A message with the signed transaction that an app holds for a purchase.
    private func signed(_ item: Item, by bundleID: String? = nil) -> Flotilla_Receipt_V1_Receipt {
        var purchase = self.purchase(item)
        purchase.bundleID = bundleID ?? purchase.bundleID
        var message = self.message(of: item.app)
        // The text is empty if OpenSSL cannot sign. The record then has an unexpected outcome, which the
        // check reports.
        message.receiptData = SimulatedTransaction.text(of: purchase) ?? ""
        return message
    }

    /// The signature of one purchase with the payload of another.
    private var forged: Flotilla_Receipt_V1_Receipt {
        var message = self.signed(.signed)
        let own = message.receiptData.split(separator: ".")
        let other = self.signed(.signed, by: "\(App.quiet.bundleID).pro").receiptData.split(separator: ".")
        message.receiptData = (own.prefix(1) + other.dropFirst().prefix(1) + own.suffix(1)).joined(
            separator: "."
        )
        return message
    }

    func refusedHere() -> [Sample] {
        var foreign = self.withReceipt(.subscription)
        var purchase = self.purchase(.subscription)
        purchase.bundleID = "com.example.elsewhere"
        foreign.receiptData = SimulatedReceipt.text(of: purchase)
        let signedElsewhere = self.signed(.signed, by: "com.example.elsewhere")
        var page = self.message(of: .shop)
        page.receiptData = "<html>"
        var nothing = self.message(of: .shop)
        nothing.receiptData = "bm8gcmVjZWlwdA=="
        var letters = self.message(of: .books)
        letters.transactionID = "GPA.3345-1234"
        var environment = self.withID(.book)
        environment.environment = "staging"
        return [
            .refused(
                "another app's receipt",
                self.record(foreign, of: "1"),
                word: "not_ours",
                because: "bundle.foreign"
            ),
            .refused(
                "signed for another app",
                self.record(signedElsewhere, of: "2"),
                word: "not_ours",
                because: "bundle.foreign"
            ),
            .refused(
                "a forged signature",
                self.record(self.forged, of: "3"),
                word: "invalid",
                because: "jws.signature"
            ),
            .refused("a web page", self.record(page, of: "4"), word: "invalid", because: "receipt.markup"),
            .refused(
                "anything in base64",
                self.record(nothing, of: "5"),
                word: "invalid",
                because: "receipt.unknown_form"
            ),
            .refused(
                "an order id of Google's",
                self.record(letters, of: "6"),
                word: "invalid",
                because: "transaction_id.malformed"
            ),
            .refused(
                "neither receipt nor id",
                self.record(self.message(of: .shop), of: "7"),
                word: "invalid",
                because: "receipt.missing"
            ),
            .refused(
                "an unknown environment",
                self.record(environment, of: "8"),
                word: "invalid",
                because: "environment.unknown"
            ),
        ]
    }

    func malformed() -> [Sample] {
        var stranger = self.withID(.book)
        stranger.bundleID = "com.example.unheard"
        func record(_ text: String?) -> OutboundRecord {
            OutboundRecord(
                topic: self.topic,
                key: Array("account-0".utf8),
                value: text.map { Array($0.utf8) }
            )
        }
        return [
            .dead("tombstone", record(nil), as: .undecodable, because: "value.tombstone"),
            .dead(
                "JSON that ends early",
                record(#"{"bundleId":"#),
                as: .undecodable,
                because: "value.not_json"
            ),
            .dead(
                "an app without settings",
                self.record(stranger, of: "0"),
                as: .invalid,
                because: "configuration.unknown_app"
            ),
        ]
    }

    func refusedByApple() -> [Sample] {
        var product = self.withReceipt(.subscription)
        product.productID = "com.example.shop.palace"
        var transaction = self.withReceipt(.subscription)
        transaction.transactionID = "2000000000000999"
        return [
            .refused(
                "21003, not authentic",
                self.record(self.withReceipt(.lost), of: "1"),
                word: "invalid",
                because: "verifyreceipt.21003",
                calls: 1
            ),
            .refused(
                "another product is claimed",
                self.record(product, of: "2"),
                word: "invalid",
                because: "product.not_in_receipt",
                calls: 1,
                accepted: 1
            ),
            .refused(
                "another purchase is claimed",
                self.record(transaction, of: "3"),
                word: "invalid",
                because: "transaction.not_in_receipt",
                calls: 1,
                accepted: 1
            ),
            // Each attempt asks both environments.
            .refused(
                "unknown, also a while later",
                self.record(self.withID(.unknownBook), of: "4"),
                word: "invalid",
                because: "appstore.transaction_not_found",
                calls: 6,
                followUps: 3
            ),
        ]
    }
}
