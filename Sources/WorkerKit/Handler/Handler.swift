package import Logging
package import Operations
package import Records
package import ServiceLifecycle
package import UpstreamHTTP
package import WireFormats

/// The part of a worker that is its own: two pure functions around one upstream call.
///
/// Neither does I/O or reads a clock; what they need to know of the world is in the `Attempt`. Where an upstream makes
/// a handler remember something between records, it does so in a bounded value of its own, and only in a running
/// worker: a case that is played through by hand has the same verdict every time. Both run on the engine's thread, once
/// for every attempt of every record, so they must not block.
package protocol Handler: Sendable {
    /// A decoded record, and whatever the handler wants to remember between the calls of one record.
    associatedtype Job: Sendable
    /// What the upstream decided about a record, as the result record will say it.
    associatedtype Answer: Sendable

    /// What is to be done about a record: its bytes are decoded here.
    func plan(_ record: InboundRecord, _ attempt: Attempt) -> Plan<Job, Answer>

    /// What an upstream's response, or the lack of one, means for the record.
    func interpret(_ exchange: Exchange, of job: Job, _ attempt: Attempt) -> Verdict<Job, Answer>

    /// The value of the result record. `answer` is nil where the upstream has said nothing final.
    func encode(_ outcome: Outcome, _ answer: Answer?, as format: ValueFormat) -> [UInt8]

    /// A form of an answer that takes up less room and says what it leaves out; nil, the default, if there is none. Asked
    /// when an outcome is larger than the broker takes, again and again until it fits.
    func smaller(_ answer: Answer) -> Answer?

    /// What the result of a record says whose deadline has passed, beside that; nil, the default, if nothing.
    func expired(_ record: InboundRecord, _ attempt: Attempt) -> Answer?

    /// The parts of the upstream that fail and throttle by themselves, by their numbers in `Call.endpoint`. One by
    /// default. Always the same, and at least one.
    var endpoints: [UpstreamEndpoint] { get }

    /// Told once, before a worker begins its work, and never for a command that only plays a case through: what this
    /// handler counts and logs with, and in return what has to run beside the engine, such as a watch on a file.
    /// Nothing by default.
    func companions(_ surroundings: Surroundings) -> [any Service]
}

extension Handler {
    package func expired(_ record: InboundRecord, _ attempt: Attempt) -> Answer? { nil }

    package func smaller(_ answer: Answer) -> Answer? { nil }

    package var endpoints: [UpstreamEndpoint] { [UpstreamEndpoint()] }

    package func companions(_ surroundings: Surroundings) -> [any Service] { [] }
}

/// What a running worker offers its handler.
package struct Surroundings: Sendable {
    package var registry: PrometheusRegistry
    package var logger: Logger

    package init(registry: PrometheusRegistry, logger: Logger) {
        self.registry = registry
        self.logger = logger
    }
}

/// The circumstances of one attempt, so that a handler needs no clock and no memory.
package struct Attempt: Hashable, Sendable {
    /// 1 for the first.
    package var number: Int
    /// How often the record has failed before by a fault that counts against it: calls that an outage, a hold or an
    /// upstream that wants to be left alone has cost are not among them, nor are second calls.
    package var failures: Int
    /// Wall-clock milliseconds since 1970.
    package var now: Int64
    /// Earlier calls for this record that the upstream may have acted upon and that nobody knows the answer of
    /// (`Exchange.ambiguous`). What looks like a duplicate to the upstream may then be our own.
    package var ambiguous: Int

    /// - Parameter failures: all earlier attempts, if that is not said.
    package init(number: Int, failures: Int? = nil, now: Int64, ambiguous: Int = 0) {
        self.number = number
        self.failures = failures ?? max(0, number - 1)
        self.now = now
        self.ambiguous = ambiguous
    }
}

/// What came of one call.
package enum Exchange: Hashable, Sendable {
    case response(HTTPResponse)
    /// The upstream knows nothing of it: no byte of the request has left.
    case failure(TransferError)
    /// The upstream may have done what it was asked, and nobody knows: a timeout after the request was sent, a
    /// connection that was cut. Whether to ask again is the handler's to say: it knows what a repeat does.
    case ambiguous(TransferError)
}
