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
        /// The record is right, and what a client sent or claims cannot be true. A client may send anything: a final no,
        /// with an answer as far as the record could be read.
        case refused(Reason, ReceiptAnswer?)
    }

    /// Reads a record of the topic `receipt`, in any of the forms that a value may have.
    package init(decoding record: borrowing InboundRecord) throws(Fault) {
        let payload: RecordPayload
        do throws(RecordFault) {
            payload = try RecordPayload(of: record, bytesLimit: Self.recordBytesLimit)
        } catch {
            // Nothing but the receipt has that many bytes.
            guard case .tooLarge(let reason) = error else { throw .record(error) }
            throw .refused(reason, nil)
        }
        let message: Flotilla_Receipt_V1_Receipt
        do throws(RecordFault) {
            message = try payload.decode(as: Flotilla_Receipt_V1_Receipt.self)
        } catch {
            throw Self.fault(error, payload)
        }
        try self.init(message)
    }

    /// A client chooses these, and some backends forward them in the type in which they came.
    private static let clientMembers = [
        "receipt_data", "transaction_id", "product_id", "environment", "request_id",
    ].map { ClientMember($0) }

    private static func fault(_ fault: RecordFault, _ payload: RecordPayload) -> Fault {
        guard let object = ClientMember.object(payload),
            let member = self.clientMembers.first(where: {
                $0.isUnreadable(in: object, as: Flotilla_Receipt_V1_Receipt.self)
            })
        else { return .record(fault) }
        func text(_ name: String) -> String {
            ClientMember(name).text(in: object, bytesLimit: self.nameBytesLimit)
        }
        let header = ReceiptHeader(bundleID: text("bundle_id"), requestID: text("request_id"))
        return .refused(member.malformed, ReceiptAnswer(.invalid, header))
    }

    private init(_ message: Flotilla_Receipt_V1_Receipt) throws(Fault) {
        self.header = ReceiptHeader(bundleID: "")
        self.receivedAt = try Self.receivedAt(message)
        self.text = Array(message.receiptData.utf8)
        self.header.requestID = try self.name(message.requestID, "request_id")
        self.header.bundleID = try self.name(message.bundleID, "bundle_id")
        self.header.productID = try self.name(message.productID, "product_id")
        if !message.transactionID.isEmpty {
            guard let id = StoreTransactionID(message.transactionID) else {
                throw self.refusal(.claimedTransaction)
            }
            self.transactionID = id
            self.header.transactionID = id.text
        }
        guard !self.text.isEmpty || self.transactionID != nil else { throw self.refusal(.missing) }
        self.hint = try self.hint(message.environment)
    }

    package var claim: StoreClaim {
        StoreClaim(
            bundleID: self.header.bundleID,
            transactionID: self.transactionID?.text,
            productID: self.header.productID.isEmpty ? nil : self.header.productID
        )
    }

    private static let nameBytesLimit = 256

    private func refusal(_ reason: Reason) -> Fault { .refused(reason, ReceiptAnswer(.invalid, self.header)) }

    private func name(_ text: String, _ field: String) throws(Fault) -> String {
        guard text.utf8.count <= Self.nameBytesLimit else {
            throw self.refusal(
                Reason("\(field).too_long", "A name has more than \(Self.nameBytesLimit) bytes.")
            )
        }
        return text
    }

    /// In upper or lower case: Apple writes `Sandbox`. Neither host knows purchases made in Xcode.
    private func hint(_ environment: String) throws(Fault) -> StoreHost? {
        switch environment.lowercased() {
        case "", "xcode", "localtesting": return nil
        case "production": return .production
        case "sandbox": return .sandbox
        default: throw self.refusal(.environment)
        }
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
    fileprivate static let missing = Reason(
        "receipt.missing",
        "There is neither a receipt nor a transaction id."
    )
    fileprivate static let environment = Reason(
        "environment.unknown",
        "The environment is not production or sandbox."
    )
    fileprivate static let claimedTransaction = Reason(
        "transaction_id.malformed",
        "The claimed transaction id is not decimal digits."
    )
}
