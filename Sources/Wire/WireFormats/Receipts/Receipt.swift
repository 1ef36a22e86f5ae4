package import Records
import SwiftProtobuf
import WireMessages

/// A proof of purchase to be verified. It has passed every rule that needs neither a clock nor the
/// configuration.
package struct Receipt: Hashable, Sendable {
    /// The fields that the result repeats.
    package var header: ReceiptHeader
    /// The receipt as the client sent it, in whatever form; empty if there is only a transaction id to ask
    /// about.
    package var text: [UInt8]
    /// The transaction that the client claims; nil if it claims none.
    package var transactionID: StoreTransactionID?
    /// The host that the client names as the place of its purchase. Apple is asked there first; it decides
    /// nothing.
    package var hint: StoreHost?
    /// The time at which our edge received the receipt, in wall-clock milliseconds since 1970.
    package var receivedAt: Int64?

    /// The most bytes of a record's value: a receipt of a few megabytes in base64, and the fields around it.
    package static let recordBytesLimit = 8 << 20

    /// The reason why a record is nothing to verify.
    package enum Fault: Error, Hashable, Sendable {
        /// The record itself is wrong and becomes a dead letter.
        case record(RecordFault)
        /// The record is right, but what a client sent or claims cannot be true. A client may send anything,
        /// so the record ends in a final refusal. The answer holds what could be read of the record.
        case refused(Reason, ReceiptAnswer?)
    }

    /// Reads a record of the topic `receipt`, in any of the forms that a value may have.
    package init(decoding record: borrowing InboundRecord) throws(Fault) {
        do throws(Fault) {
            try self.init(reading: record)
        } catch {
            let limit = Self.recordBytesLimit
            switch error {
            case .record(let fault):
                throw .record(fault.asking(about: record, in: .receipt, bytesLimit: limit))
            case .refused(let reason, let answer):
                throw .refused(reason.asking(about: record, in: .receipt, bytesLimit: limit), answer)
            }
        }
    }

    private init(reading record: borrowing InboundRecord) throws(Fault) {
        let payload: RecordPayload
        do throws(RecordFault) {
            payload = try RecordPayload(of: record, bytesLimit: Self.recordBytesLimit)
        } catch {
            // Only the receipt itself can make a record as large as that.
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

    /// The fields whose content a client chooses; some backends forward them in the type in which they came.
    private static let clientMembers = [
        "receipt_data", "transaction_id", "product_id", "environment", "request_id",
    ].map { ClientMember($0) }

    /// Returns the fault of a payload that cannot be decoded: a final refusal if only clients' fields are to
    /// blame, else a dead letter.
    private static func fault(_ fault: RecordFault, _ payload: RecordPayload) -> Fault {
        typealias Message = Flotilla_Receipt_V1_Receipt
        guard let legible = LegiblePayload(payload, without: self.clientMembers, as: Message.self),
            let member = legible.illegible.first
        else { return .record(fault) }
        do throws(RecordFault) {
            let message = try legible.payload.decode(as: Message.self)
            func name(_ text: String) -> String { text.utf8.count <= self.nameBytesLimit ? text : "" }
            let header = ReceiptHeader(bundleID: name(message.bundleID), requestID: name(message.requestID))
            return .refused(
                member.malformed(in: payload, as: Message.self),
                ReceiptAnswer(.invalid, header)
            )
        } catch {
            return .record(error)
        }
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

    /// The claim that the purchases are compared with.
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

    /// Returns the host that an environment's name stands for; nil if neither host can know the purchase.
    /// Upper and lower case are equal, because Apple writes `Sandbox`. Purchases made in Xcode are known to
    /// neither host.
    private func hint(_ environment: String) throws(Fault) -> StoreHost? {
        guard environment.utf8.count <= Self.nameBytesLimit else { throw self.refusal(.environment) }
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

/// The fields of a record that its result repeats.
package struct ReceiptHeader: Hashable, Sendable {
    /// The app that the purchase has to be of; empty if the record names none.
    package var bundleID: String
    /// The backend's own id of the request; empty if the record names none.
    package var requestID: String
    /// The transaction that the client claims; empty if it claims none.
    package var transactionID = ""
    /// The product that the client claims; empty if it claims none.
    package var productID = ""

    package init(bundleID: String, requestID: String = "") {
        self.bundleID = bundleID
        self.requestID = requestID
    }
}

extension Reason {
    fileprivate static let missing = Reason(
        "receipt.missing",
        "Both `receiptData` and `transactionId` are missing."
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
