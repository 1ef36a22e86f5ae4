package import WireMessages

/// The result of a DeviceCheck request, from the topic `devicecheck.result`.
public struct DeviceCheckResult: RecordContent {
    /// The topic's name where no setting says otherwise.
    public static let topic = "devicecheck.result"

    package var message: Flotilla_Devicecheck_V1_DeviceCheckResult

    package init(_ message: Flotilla_Devicecheck_V1_DeviceCheckResult) { self.message = message }

    /// Makes a value in which nothing is set.
    public init() { self.message = Flotilla_Devicecheck_V1_DeviceCheckResult() }

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

    /// `state`, `not_set`, `updated`, `valid`, `invalid_token`, `expired_token`, `unavailable` or
    /// `superseded`; empty if the record was dead-lettered or expired. A reader must expect more.
    public var result: String {
        get { self.message.result }
        set { self.message.result = newValue }
    }

    /// The first bit, with `state` and `updated`; nil if it is unknown.
    public var bit0: Bool? {
        get { self.message.hasBit0 ? self.message.bit0 : nil }
        set {
            if let newValue { self.message.bit0 = newValue } else { self.message.clearBit0() }
        }
    }

    /// The second bit, with `state` and `updated`; nil if it is unknown.
    public var bit1: Bool? {
        get { self.message.hasBit1 ? self.message.bit1 : nil }
        set {
            if let newValue { self.message.bit1 = newValue } else { self.message.clearBit1() }
        }
    }

    /// The month of the last update, `YYYY-MM` in UTC, if Apple names it.
    public var lastUpdateMonth: String {
        get { self.message.lastUpdateMonth }
        set { self.message.lastUpdateMonth = newValue }
    }

    /// The operation, as far as the input could be read.
    public var operation: String {
        get { self.message.op }
        set { self.message.op = newValue }
    }

    /// The developer team, as far as the input could be read.
    public var teamID: String {
        get { self.message.teamID }
        set { self.message.teamID = newValue }
    }

    /// The environment, as far as the input could be read.
    public var environment: String {
        get { self.message.environment }
        set { self.message.environment = newValue }
    }

    /// The app that the request named.
    public var bundleID: String {
        get { self.message.bundleID }
        set { self.message.bundleID = newValue }
    }

    /// Your own name for the request.
    public var requestID: String {
        get { self.message.requestID }
        set { self.message.requestID = newValue }
    }

    /// The age of the token in milliseconds when the worker decided; nil if it is unknown.
    public var tokenAgeMS: Int64? {
        get { self.message.hasTokenAgeMs ? self.message.tokenAgeMs : nil }
        set {
            if let newValue { self.message.tokenAgeMs = newValue } else { self.message.clearTokenAgeMs() }
        }
    }

    /// The HTTP status of Apple's last answer.
    public var httpStatus: Int32? {
        get { self.message.hasHTTPStatus ? self.message.httpStatus : nil }
        set {
            if let newValue { self.message.httpStatus = newValue } else { self.message.clearHTTPStatus() }
        }
    }

    /// The id of Apple's last answer, for Apple's support.
    public var appleRequestID: String {
        get { self.message.appleRequestID }
        set { self.message.appleRequestID = newValue }
    }
}
