package import Logging
package import Operations
package import Records
package import ServiceLifecycle
package import UpstreamHTTP
package import WireFormats

/// The part of a worker that is its own: two pure functions around one upstream call.
///
/// Both functions do no I/O, read no clock and keep no state; the `Attempt` tells them what they need to
/// know. Where an upstream makes a handler remember something between records, its memory is a value that the
/// engine hands in and takes back. Both functions run on the engine's thread, once for every attempt of every
/// record, so they must not block.
package protocol Handler: Sendable {
    /// A decoded record, and whatever the handler has to remember between the calls of one record.
    associatedtype Job: Sendable
    /// The decision of the upstream about a record, as the result record will report it.
    associatedtype Answer: Sendable
    /// Everything that outlives a record, such as a token that many calls share; nothing by default. The
    /// memory is bounded, because nothing else empties it.
    associatedtype Memory: Sendable = NoMemory

    /// The memory at the start of an engine, and of every case that is tried by hand.
    var emptyMemory: Memory { get }

    /// Decodes a record and returns what is to be done about it.
    func plan(_ record: InboundRecord, _ attempt: Attempt, with memory: inout Memory) -> Plan<Job, Answer>

    /// Returns what an upstream's response, or the lack of one, means for the record.
    func interpret(
        _ exchange: Exchange,
        of job: Job,
        _ attempt: Attempt,
        with memory: inout Memory
    ) -> Verdict<Job, Answer>

    /// Returns the value of the result record.
    ///
    /// - Parameter answer: The decision of the upstream; nil if it has decided nothing for good.
    func encode(_ outcome: Outcome, _ answer: Answer?, as format: ValueFormat) -> [UInt8]

    /// The place of the result's message in its `.proto` file, counted from 0, for the frame of a schema registry;
    /// 0, the first message, by default.
    var resultPlace: Int { get }

    /// Returns the members of a record in JSON that its schema does not have, which the header
    /// `outcome.unknown_fields` of its outcome tells; nil, the default, if there are none. The engine asks once
    /// for each record that ends.
    func unknownFields(in record: InboundRecord) -> UnknownFields?

    /// Returns a record's value as one JSON object, for the conditions of `worker.skip` on fields; nil if it cannot be
    /// read. By default only a value in JSON can be read.
    func object(in record: InboundRecord) -> JSONObject?

    /// Returns a form of an answer that takes up less room and says what it leaves out; nil, the default, if
    /// there is none. The engine asks for it when an outcome is larger than the broker accepts, again and
    /// again until the outcome fits.
    func smaller(_ answer: Answer) -> Answer?

    /// Returns what the result of a record whose deadline has passed says beside that; nil, the default, for
    /// nothing.
    func expired(_ record: InboundRecord, _ attempt: Attempt) -> Answer?

    /// The topics, besides those of results and dead letters, to which `channelRecords` writes; none by default.
    /// A worker does not start where one of them is missing.
    var channelTopics: [String] { get }

    /// Returns the records that are published together with the outcome of a record that does not become a dead
    /// letter: before the outcome, and with exactly-once in the same transaction. Each names in a header the
    /// record that it comes from (`OutboundRecord.channelOriginHeader`). None by default.
    ///
    /// One that is larger than the broker accepts goes out without its value, and says so in a header.
    func channelRecords(for record: InboundRecord, _ outcome: Outcome, _ answer: Answer?) -> [OutboundRecord]

    /// Takes note of the outcome of a record when the broker has acknowledged it, and with exactly-once when
    /// its transaction is committed; nil, the default, to be told nothing. After a crash in between, a record
    /// can end without this call with exactly-once, and twice otherwise.
    var settled: (@Sendable (InboundRecord, Outcome) -> Void)? { get }

    /// The parts of the upstream that fail and throttle independently of each other; one by default.
    /// `Call.endpoint` is an index of this list. The list is always the same, and has at least one element.
    var endpoints: [UpstreamEndpoint] { get }

    /// Takes what the handler counts and logs with, and returns the services that have to run beside the
    /// engine, such as a watch on a file; none by default.
    ///
    /// The engine's process calls this once, before a worker begins its work. A command that only tries a
    /// case never does.
    func companions(_ instruments: Instruments) -> [any Service]

    /// Counts a planned call in metrics of the handler's own; by default nothing is counted. The engine calls
    /// this once for each plan that is a call. A command that only tries a case never does.
    func callPlanned(for job: Job, _ attempt: Attempt)
}

/// The memory of a handler that remembers nothing between records.
package struct NoMemory: Hashable, Sendable {
    package init() {}
}

extension Handler where Memory == NoMemory {
    package var emptyMemory: NoMemory { NoMemory() }
}

extension Handler {
    package func expired(_ record: InboundRecord, _ attempt: Attempt) -> Answer? { nil }

    package var resultPlace: Int { 0 }

    package func unknownFields(in record: InboundRecord) -> UnknownFields? { nil }

    package func object(in record: InboundRecord) -> JSONObject? { RecordObject.json(record) }

    package func smaller(_ answer: Answer) -> Answer? { nil }

    package var channelTopics: [String] { [] }

    package func channelRecords(
        for record: InboundRecord,
        _ outcome: Outcome,
        _ answer: Answer?
    ) -> [OutboundRecord] { [] }

    package var settled: (@Sendable (InboundRecord, Outcome) -> Void)? { nil }

    package var endpoints: [UpstreamEndpoint] { [UpstreamEndpoint()] }

    package func companions(_ instruments: Instruments) -> [any Service] { [] }

    package func callPlanned(for job: Job, _ attempt: Attempt) {}
}

/// The things that a running worker gives its handler: the metrics registry, the logger, and the settings of calls for
/// services that make calls of their own.
package struct Instruments: Sendable {
    package var registry: PrometheusRegistry
    package var logger: Logger
    package var http: HTTPClientSettings

    package init(
        registry: PrometheusRegistry,
        logger: Logger,
        http: HTTPClientSettings = HTTPClientSettings()
    ) {
        self.registry = registry
        self.logger = logger
        self.http = http
    }
}

/// The circumstances of one attempt, so that a handler needs no clock and counts no attempts.
package struct Attempt: Hashable, Sendable {
    /// The number of the attempt; 1 for the first.
    package var number: Int
    /// How often the record has failed before by a fault that counts against it. Calls that were lost to an
    /// outage, to a hold or to an upstream that asked to wait are not counted, and neither are second calls.
    package var failures: Int
    /// The time of the attempt, in wall-clock milliseconds since 1970.
    package var now: Int64
    /// That time as far as it is proven: earlier than `now` while the wall clock is ahead and no
    /// records have confirmed it. A record is called too old by this time only, because that is final.
    package var proven: Int64
    /// The number of earlier calls for this record that the upstream may have acted upon, although their
    /// answer is not known (`Exchange.ambiguous`). After such a call, what the upstream takes for a duplicate
    /// may be our own.
    package var ambiguous: Int
    /// How often the handler has asked for a hold because of earlier calls for this record.
    package var holds: Int
    /// The lane of the last call that this worker made for the record; nil if it has made none since it took the
    /// record in.
    package var lastLane: String?
    /// Whether the attempt is a case that a command tries by hand. Such a case is a single call with an empty
    /// memory: no other record can confirm its answer, and `number` says which call of its record it is.
    package var isTrial: Bool

    /// - Parameters:
    ///   - failures: The failures that count; all earlier attempts if they are not given.
    ///   - proven: The proven time; `now` if it is not given.
    ///   - holds: The holds that were asked for; all earlier attempts if they are not given.
    package init(
        number: Int,
        failures: Int? = nil,
        now: Int64,
        proven: Int64? = nil,
        ambiguous: Int = 0,
        holds: Int? = nil,
        lastLane: String? = nil,
        isTrial: Bool = false
    ) {
        self.number = number
        self.failures = failures ?? max(0, number - 1)
        self.now = now
        self.proven = proven ?? now
        self.ambiguous = ambiguous
        self.holds = holds ?? max(0, number - 1)
        self.lastLane = lastLane
        self.isTrial = isTrial
    }
}

/// The result of one call.
package enum Exchange: Hashable, Sendable {
    case response(HTTPResponse)
    /// No byte of the request has left, so the upstream knows nothing of it.
    case failure(TransferError)
    /// The upstream may have done what it was asked, and it is not known: a timeout after the request was
    /// sent, or a connection that was cut. The handler decides whether to ask again, because it knows what a
    /// repeat does.
    case ambiguous(TransferError)
}
