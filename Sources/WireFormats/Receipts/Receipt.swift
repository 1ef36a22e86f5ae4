package import Records
import SwiftProtobuf
import WireMessages

/// A proof of purchase to be verified, checked by every rule that needs neither clock nor configuration.
package struct Receipt: Hashable, Sendable {
    package var header: ReceiptHeader
    /// As the client sent it, in whatever form; empty if there is only an id to ask about.
    package var text: [UInt8]
    package var transactionID: StoreTransactionID?
    /// Where the client thinks that it bought.
    package var hint: StoreHost?
    /// Wall-clock milliseconds since 1970: when it reached us.
    package var receivedAt: Int64?

    /// A receipt of a few megabytes in base64, and what stands around it.
    package static let recordBytesLimit = 8 << 20

    /// Why a record is nothing to verify.
    package enum Fault: Error, Hashable, Sendable {
        /// The record is wrong: a dead letter.
        case record(RecordFault)
        /// The record is right, and what a client claims cannot be true. A client may send anything: a final no.
        case refused(Reason, ReceiptAnswer)
    }

    /// Reads a record of the topic `receipt`, in any of the forms that a value may have.
    package init(decoding record: borrowing InboundRecord) throws(Fault) {
        let message: Flotilla_Receipt_V1_Receipt
        do throws(RecordFault) {
            message = try RecordPayload(of: record, bytesLimit: Self.recordBytesLimit)
                .decode(as: Flotilla_Receipt_V1_Receipt.self)
        } catch {
            throw .record(error)
        }
        try self.init(message)
    }

    private init(_ message: Flotilla_Receipt_V1_Receipt) throws(Fault) {
        self.header = ReceiptHeader(
            bundleID: try Self.name(message.bundleID, "bundle_id"),
            requestID: try Self.name(message.requestID, "request_id")
        )
        self.hint = try Self.hint(message.environment)
        self.receivedAt = try Self.receivedAt(message)
        self.text = Array(message.receiptData.utf8)
        guard !self.text.isEmpty || !message.transactionID.isEmpty else {
            throw .record(.invalid("receipt.missing", "There is neither a receipt nor a transaction id."))
        }
        guard message.productID.utf8.count <= Self.nameBytesLimit else {
            throw .refused(.claimedProduct, ReceiptAnswer(.invalid, self.header))
        }
        self.header.productID = message.productID
        guard !message.transactionID.isEmpty else { return }
        guard let id = StoreTransactionID(message.transactionID) else {
            throw .refused(.claimedTransaction, ReceiptAnswer(.invalid, self.header))
        }
        self.transactionID = id
        self.header.transactionID = id.text
    }

    package var claim: StoreClaim {
        StoreClaim(
            bundleID: self.header.bundleID,
            transactionID: self.transactionID?.text,
            productID: self.header.productID.isEmpty ? nil : self.header.productID
        )
    }

    private static let nameBytesLimit = 256

    private static func name(_ text: String, _ field: String) throws(Fault) -> String {
        guard text.utf8.count <= self.nameBytesLimit else {
            throw .record(.invalid("\(field).too_long", "A name has more than \(self.nameBytesLimit) bytes."))
        }
        return text
    }

    private static func hint(_ environment: String) throws(Fault) -> StoreHost? {
        guard !environment.isEmpty else { return nil }
        guard let host = StoreHost(rawValue: environment) else {
            throw .record(.invalid("environment.unknown", "The environment is not production or sandbox."))
        }
        return host
    }

    private static func receivedAt(_ message: Flotilla_Receipt_V1_Receipt) throws(Fault) -> Int64? {
        guard message.hasReceivedAt else { return nil }
        let time = message.receivedAt
        guard (0...253_402_300_799).contains(time.seconds), (0..<1_000_000_000).contains(time.nanos) else {
            throw .record(.invalid("received_at.malformed", "A time is not between 1970 and 9999."))
        }
        return time.seconds * 1_000 + Int64(time.nanos / 1_000_000)
    }
}

/// What a result repeats of its input.
package struct ReceiptHeader: Hashable, Sendable {
    /// Empty if the record names none.
    package var bundleID: String
    package var requestID: String
    package var transactionID = ""
    package var productID = ""

    package init(bundleID: String, requestID: String = "") {
        self.bundleID = bundleID
        self.requestID = requestID
    }
}

extension Reason {
    fileprivate static let claimedProduct = Reason(
        "product_id.too_long",
        "The claimed product has a longer name than any can have."
    )
    fileprivate static let claimedTransaction = Reason(
        "transaction_id.malformed",
        "The claimed transaction id is not decimal digits."
    )
}
