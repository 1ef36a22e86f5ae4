package import WireMessages

/// An event of a push on a device, for the topic `push-arrival`. A JSON record whose payload is an
/// object and not a text can be published by others, and cannot be decoded here.
public struct PushEvent: RecordContent {
    /// The topic's name where no setting says otherwise.
    public static let topic = "push-arrival"

    package var message: Flotilla_Pusharrival_V1_PushEvent

    package init(_ message: Flotilla_Pusharrival_V1_PushEvent) { self.message = message }

    /// Makes a value in which nothing is set.
    public init() { self.message = Flotilla_Pusharrival_V1_PushEvent() }

    public init(decoding record: Record) throws(RecordError) {
        self.message = try record.decoded()
    }

    public func encoded(as format: RecordFormat) throws(RecordError) -> [UInt8] {
        try format.encode(self.message)
    }

    /// `sent`, `arrived`, `shown`, `attachment_shown`, `opened`, `dismissed` or `converted`.
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

    /// The time of sending by the server's clock, in milliseconds since 1970.
    public var sentMS: Int64? {
        get { self.message.hasSentMs ? self.message.sentMs : nil }
        set {
            if let newValue { self.message.sentMs = newValue } else { self.message.clearSentMs() }
        }
    }

    /// The time of the event by the device's clock, in milliseconds since 1970.
    public var deviceMS: Int64? {
        get { self.message.hasDeviceMs ? self.message.deviceMs : nil }
        set {
            if let newValue { self.message.deviceMs = newValue } else { self.message.clearDeviceMs() }
        }
    }

    /// The time of the report by the device's clock, in milliseconds since 1970.
    public var uploadMS: Int64? {
        get { self.message.hasUploadMs ? self.message.uploadMs : nil }
        set {
            if let newValue { self.message.uploadMs = newValue } else { self.message.clearUploadMs() }
        }
    }

    /// The time at which your edge received the report, in milliseconds since 1970; the record's timestamp
    /// if it is nil.
    public var serverMS: Int64? {
        get { self.message.hasServerMs ? self.message.serverMs : nil }
        set {
            if let newValue { self.message.serverMs = newValue } else { self.message.clearServerMs() }
        }
    }

    /// Whether a service extension would have run for the push.
    public var nseEligible: Bool? {
        get { self.message.hasNseEligible ? self.message.nseEligible : nil }
        set {
            if let newValue { self.message.nseEligible = newValue } else { self.message.clearNseEligible() }
        }
    }

    /// The notification's userInfo as JSON, at most 8 KiB. Only ids and times are read from it.
    public var payload: String {
        get { self.message.payload }
        set { self.message.payload = newValue }
    }

    /// The SHA-256 of the payload's canonical form in hexadecimal digits, if the payload is not sent.
    public var payloadSHA256: String {
        get { self.message.payloadSha256 }
        set { self.message.payloadSha256 = newValue }
    }
    /// The app's version on the device, at most 64 bytes, as the three fields below. A segment has a rate where the event
    /// `sent` and the arrival name the same one.
    public var appVersion: String {
        get { self.message.appVersion }
        set { self.message.appVersion = newValue }
    }

    /// The version of the operating system, such as 17.5.1.
    public var osVersion: String {
        get { self.message.osVersion }
        set { self.message.osVersion = newValue }
    }

    /// The class of the device, such as iPhone.
    public var deviceModel: String {
        get { self.message.deviceModel }
        set { self.message.deviceModel = newValue }
    }

    /// The country in two letters (ISO 3166-1).
    public var country: String {
        get { self.message.country }
        set { self.message.country = newValue }
    }

    /// With `converted`: the value in millionths of `currency`, 0 to 10^15.
    public var valueMicros: Int64? {
        get { self.message.hasValueMicros ? self.message.valueMicros : nil }
        set {
            if let newValue { self.message.valueMicros = newValue } else { self.message.clearValueMicros() }
        }
    }

    /// With `converted`: the currency of the value in three letters (ISO 4217).
    public var currency: String {
        get { self.message.currency }
        set { self.message.currency = newValue }
    }
}
