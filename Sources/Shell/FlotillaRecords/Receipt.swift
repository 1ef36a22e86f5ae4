import SwiftProtobuf
import WireFormats
package import WireMessages

/// The proof of a purchase in Apple's store, for the topic `receipt`.
public struct Receipt: RecordContent {
    /// The topic's name where no setting says otherwise.
    public static let topic = "receipt"

    package var message: Flotilla_Receipt_V1_Receipt

    package init(_ message: Flotilla_Receipt_V1_Receipt) { self.message = message }

    /// Makes a value in which nothing is set.
    public init() { self.message = Flotilla_Receipt_V1_Receipt() }

    public init(decoding record: Record) throws(RecordError) {
        self.message = try record.decoded(bytesLimit: WireFormats.Receipt.recordBytesLimit)
    }

    public func encoded(as format: RecordFormat) throws(RecordError) -> [UInt8] {
        try format.encode(self.message)
    }

    /// The app that the purchase is to be of. It may be empty if the worker knows one app only.
    public var bundleID: String {
        get { self.message.bundleID }
        set { self.message.bundleID = newValue }
    }

    /// An app receipt, a transaction receipt or a signed transaction. Do not log it.
    public var receiptData: String {
        get { self.message.receiptData }
        set { self.message.receiptData = newValue }
    }

    /// The transaction that the client claims, in decimal digits.
    public var transactionID: String {
        get { self.message.transactionID }
        set { self.message.transactionID = newValue }
    }

    /// The product that the client claims.
    public var productID: String {
        get { self.message.productID }
        set { self.message.productID = newValue }
    }

    /// `production` or `sandbox`, if the client knows. It decides only who is asked first.
    public var environment: String {
        get { self.message.environment }
        set { self.message.environment = newValue }
    }

    /// Your own name for the request, at most 256 bytes. The result repeats it.
    public var requestID: String {
        get { self.message.requestID }
        set { self.message.requestID = newValue }
    }

    /// The time at which your edge received the receipt, in milliseconds since 1970.
    public var receivedAtMS: Int64? {
        get { self.message.hasReceivedAt ? self.message.receivedAt.milliseconds : nil }
        set {
            if let newValue {
                self.message.receivedAt = Google_Protobuf_Timestamp(milliseconds: newValue)
            } else {
                self.message.clearReceivedAt()
            }
        }
    }
}
