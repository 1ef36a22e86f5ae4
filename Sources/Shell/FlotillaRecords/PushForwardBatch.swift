package import WireMessages

/// Accepted arrivals that the forwarder sends in one request, from the topic `push-arrival.forward`.
public struct PushForwardBatch: RecordContent {
    /// The topic's name where no setting says otherwise.
    public static let topic = "push-arrival.forward"

    package var message: Flotilla_Pusharrival_V1_PushForwardBatch

    package init(_ message: Flotilla_Pusharrival_V1_PushForwardBatch) { self.message = message }

    /// Makes a value in which nothing is set.
    public init() { self.message = Flotilla_Pusharrival_V1_PushForwardBatch() }

    public init(decoding record: Record) throws(RecordError) { self.message = try record.decoded() }

    public func encoded(as format: RecordFormat) throws(RecordError) -> [UInt8] {
        try format.encode(self.message)
    }

    /// The arrivals of the batch.
    public var arrivals: [PushForwardArrival] {
        get { self.message.arrivals.map(PushForwardArrival.init) }
        set { self.message.arrivals = newValue.map(\.message) }
    }
}

/// One arrival of a batch.
public struct PushForwardArrival: Hashable, Sendable {
    package var message: Flotilla_Pusharrival_V1_PushForwardArrival

    package init(_ message: Flotilla_Pusharrival_V1_PushForwardArrival) { self.message = message }

    /// Makes a value in which nothing is set.
    public init() { self.message = Flotilla_Pusharrival_V1_PushForwardArrival() }

    /// The push's provider.
    public var provider: String {
        get { self.message.provider }
        set { self.message.provider = newValue }
    }

    /// The app's bundle id; empty if unknown.
    public var appBundle: String {
        get { self.message.appBundle }
        set { self.message.appBundle = newValue }
    }

    /// The message id; empty if unknown.
    public var messageID: String {
        get { self.message.messageID }
        set { self.message.messageID = newValue }
    }

    /// The campaign id; empty if unknown.
    public var campaignID: String {
        get { self.message.campaignID }
        set { self.message.campaignID = newValue }
    }

    /// The device that the push arrived at.
    public var deviceID: String {
        get { self.message.deviceID }
        set { self.message.deviceID = newValue }
    }

    /// The time of the arrival by the server's clock, in milliseconds since 1970.
    public var arrivedMS: Int64 {
        get { self.message.arrivedMs }
        set { self.message.arrivedMs = newValue }
    }

    /// The time at which the push was sent, in milliseconds since 1970; nil if unknown.
    public var sentMS: Int64? {
        get { self.message.hasSentMs ? self.message.sentMs : nil }
        set { if let newValue { self.message.sentMs = newValue } else { self.message.clearSentMs() } }
    }

    /// The milliseconds from the sending to the arrival; nil if unknown.
    public var lagMS: Int64? {
        get { self.message.hasLagMs ? self.message.lagMs : nil }
        set { if let newValue { self.message.lagMs = newValue } else { self.message.clearLagMs() } }
    }
}
