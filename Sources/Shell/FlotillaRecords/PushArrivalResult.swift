package import WireMessages

/// The result of an event of a push, from the topic `push-arrival.result`.
public struct PushArrivalResult: RecordContent {
    /// The topic's name where no setting says otherwise.
    public static let topic = "push-arrival.result"

    package var message: Flotilla_Pusharrival_V1_PushArrivalResult

    package init(_ message: Flotilla_Pusharrival_V1_PushArrivalResult) { self.message = message }

    /// Makes a value in which nothing is set.
    public init() { self.message = Flotilla_Pusharrival_V1_PushArrivalResult() }

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

    /// `accepted`, `duplicate`, `late` or `ineligible`; empty if the record was rejected or dead-lettered.
    /// A reader must expect more.
    public var result: String {
        get { self.message.result }
        set { self.message.result = newValue }
    }

    /// `sent`, `arrived`, `shown`, `opened` or `dismissed`.
    public var type: String {
        get { self.message.type }
        set { self.message.type = newValue }
    }

    /// The push service, such as `apns`.
    public var provider: String {
        get { self.message.provider }
        set { self.message.provider = newValue }
    }

    /// The push, unique within a provider and an app; at most 256 bytes.
    public var messageID: String {
        get { self.message.messageID }
        set { self.message.messageID = newValue }
    }

    /// The campaign, at most 256 bytes.
    public var campaignID: String {
        get { self.message.campaignID }
        set { self.message.campaignID = newValue }
    }

    /// The app's bundle id.
    public var appBundle: String {
        get { self.message.appBundle }
        set { self.message.appBundle = newValue }
    }

    /// The installation, never the push token; at most 256 bytes.
    public var deviceID: String {
        get { self.message.deviceID }
        set { self.message.deviceID = newValue }
    }

    /// The event's own id, made once on the device; at most 64 bytes.
    public var eventID: String {
        get { self.message.eventID }
        set { self.message.eventID = newValue }
    }

    /// `production`, also if it is empty, or `development`.
    public var environment: String {
        get { self.message.environment }
        set { self.message.environment = newValue }
    }

    /// With `sent`: `accepted` or `rejected`.
    public var status: String {
        get { self.message.status }
        set { self.message.status = newValue }
    }

    /// With `sent`: the provider's reason for a rejection.
    public var reason: String {
        get { self.message.reason }
        set { self.message.reason = newValue }
    }

    /// The time of the event by the server's clock, in milliseconds since 1970.
    public var correctedMS: Int64? {
        get { self.message.hasCorrectedMs ? self.message.correctedMs : nil }
        set {
            if let newValue { self.message.correctedMs = newValue } else { self.message.clearCorrectedMs() }
        }
    }

    /// The time of sending, in milliseconds since 1970; nil if it is unknown.
    public var sentMS: Int64? {
        get { self.message.hasSentMs ? self.message.sentMs : nil }
        set {
            if let newValue { self.message.sentMs = newValue } else { self.message.clearSentMs() }
        }
    }

    /// The milliseconds from the sending to the event; nil if they are unknown.
    public var lagMS: Int64? {
        get { self.message.hasLagMs ? self.message.lagMs : nil }
        set {
            if let newValue { self.message.lagMs = newValue } else { self.message.clearLagMs() }
        }
    }

    /// Whether the device's clock could not be used as it was.
    public var skewAdjusted: Bool {
        get { self.message.skewAdjusted }
        set { self.message.skewAdjusted = newValue }
    }

    /// The SHA-256 of the payload's canonical form in hexadecimal digits.
    public var payloadSHA256: String {
        get { self.message.payloadSha256 }
        set { self.message.payloadSha256 = newValue }
    }
}
