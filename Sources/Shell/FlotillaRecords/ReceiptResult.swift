package import WireMessages

/// The verdict on a receipt, from the topic `receipt.result`. Grant once for each environment, bundle
/// id and transaction id.
public struct ReceiptResult: RecordContent {
    /// The topic's name where no setting says otherwise.
    public static let topic = "receipt.result"

    package var message: Flotilla_Receipt_V1_ReceiptResult

    package init(_ message: Flotilla_Receipt_V1_ReceiptResult) { self.message = message }

    /// Makes a value in which nothing is set.
    public init() { self.message = Flotilla_Receipt_V1_ReceiptResult() }

    public init(decoding record: Record) throws(RecordError) {
        self.message = try record.decoded()
    }

    public func encoded(as format: RecordFormat) throws(RecordError) -> [UInt8] {
        try format.encode(self.message)
    }

    /// The outcome of the input record. Every result has one.
    public var outcome: Outcome? {
        get { self.message.hasOutcome ? Outcome(self.message.outcome) : nil }
        set {
            if let newValue { self.message.outcome = newValue.message } else { self.message.clearOutcome() }
        }
    }

    /// `valid`, `expired`, `refunded`, `invalid`, `not_ours` or `unavailable`; empty if the record was
    /// dead-lettered. A reader must expect more.
    public var verdict: String {
        get { self.message.verdict }
        set { self.message.verdict = newValue }
    }

    /// The check that decided, if the receipt was not simply good.
    public var check: String {
        get { self.message.check }
        set { self.message.check = newValue }
    }

    /// The app of the purchase.
    public var bundleID: String {
        get { self.message.bundleID }
        set { self.message.bundleID = newValue }
    }

    /// Your own name for the request.
    public var requestID: String {
        get { self.message.requestID }
        set { self.message.requestID = newValue }
    }

    /// The transaction that the record claimed.
    public var transactionID: String {
        get { self.message.transactionID }
        set { self.message.transactionID = newValue }
    }

    /// The product that the record claimed.
    public var productID: String {
        get { self.message.productID }
        set { self.message.productID = newValue }
    }

    /// `Production`, `Sandbox` or `Xcode`. Count only `Production` as revenue.
    public var environment: String {
        get { self.message.environment }
        set { self.message.environment = newValue }
    }

    /// Whether the app's policy lets purchases outside production pass, and asks to flag them.
    public var flagged: Bool {
        get { self.message.flagged }
        set { self.message.flagged = newValue }
    }

    /// `verifyreceipt`, `app_store_server_api` or `local`, which cannot know of later refunds.
    public var source: String {
        get { self.message.source }
        set { self.message.source = newValue }
    }

    /// The form of the receipt: `app`, `transaction` or `signed`; empty if there was none.
    public var form: String {
        get { self.message.form }
        set { self.message.form = newValue }
    }

    /// The SHA-256 of the receipt's bytes in hexadecimal digits.
    public var receiptSHA256: String {
        get { self.message.receiptSha256 }
        set { self.message.receiptSha256 = newValue }
    }

    /// Every known purchase, the newest first.
    public var transactions: [StoreTransaction] {
        get { self.message.transactions.map(StoreTransaction.init) }
        set { self.message.transactions = newValue.map(\.message) }
    }

    /// The number of purchases that are not shown, because there are too many.
    public var transactionsLeftOut: Int32 {
        get { self.message.transactionsLeftOut }
        set { self.message.transactionsLeftOut = newValue }
    }

    /// The HTTP status of Apple's last answer.
    public var httpStatus: Int32? {
        get { self.message.hasHTTPStatus ? self.message.httpStatus : nil }
        set {
            if let newValue { self.message.httpStatus = newValue } else { self.message.clearHTTPStatus() }
        }
    }

    /// The status or error code in Apple's last answer.
    public var appleStatus: Int64? {
        get { self.message.hasAppleStatus ? self.message.appleStatus : nil }
        set {
            if let newValue { self.message.appleStatus = newValue } else { self.message.clearAppleStatus() }
        }
    }
}
