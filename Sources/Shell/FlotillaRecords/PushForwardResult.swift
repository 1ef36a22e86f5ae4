import WireFormats
package import WireMessages

/// The result of a batch of arrivals that the forwarder has sent, from the topic
/// `push-arrival.forward.result`.
public struct PushForwardResult: RecordContent {
    /// The topic's name where no setting says otherwise.
    public static let topic = "push-arrival.forward.result"

    package var message: Flotilla_Pusharrival_V1_PushForwardResult

    package init(_ message: Flotilla_Pusharrival_V1_PushForwardResult) { self.message = message }

    /// Makes a value in which nothing is set.
    public init() { self.message = Flotilla_Pusharrival_V1_PushForwardResult() }

    public init(decoding record: Record) throws(RecordError) {
        self.message = try record.decoded(messageAt: WireFormats.PushForwardResult.place)
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

    /// The number of arrivals in the batch.
    public var arrivals: Int32 {
        get { self.message.arrivals }
        set { self.message.arrivals = newValue }
    }

    /// The HTTP status of the endpoint's last answer.
    public var httpStatus: Int32? {
        get { self.message.hasHTTPStatus ? self.message.httpStatus : nil }
        set {
            if let newValue { self.message.httpStatus = newValue } else { self.message.clearHTTPStatus() }
        }
    }
}
