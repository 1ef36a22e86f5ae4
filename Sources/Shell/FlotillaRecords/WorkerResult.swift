package import WireMessages

/// The result of a worker of a shell. Its topic is the worker's input topic and `.result`.
public struct WorkerResult: RecordContent {
    /// The topic's name where no setting says otherwise.
    public static let topic = "worker.result"

    package var message: Flotilla_Worker_V1_WorkerResult

    package init(_ message: Flotilla_Worker_V1_WorkerResult) { self.message = message }

    /// Makes a value in which nothing is set.
    public init() { self.message = Flotilla_Worker_V1_WorkerResult() }

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

    /// The decision of the upstream, as the worker's author has put it; empty if there is none.
    public var answer: [String: String] {
        get { self.message.answer }
        set { self.message.answer = newValue }
    }
}
