package import Kafka
package import Logging
import Records
package import ServiceKit
import UpstreamHTTP
import WireFormats

/// The engine of calls: turns records into calls to the upstream, and the answers into outcomes. It is the
/// core of every worker of calls.
///
/// The engine is a shell. It talks to the broker, the upstream and the handler, writes the log and counts. The
/// decisions are made by values without clock, socket or lock, each with tests of its own:
///
/// | value | decides |
/// |---|---|
/// | `Membership` | in which phase the engine is, and which step ends it |
/// | `RecordTable` | which state a record has, and which moves there are |
/// | `PartitionProgress` | which offsets of a partition are finished |
/// | `RecordOrder` | which record of a key is next |
/// | `Dispatch` | which record is called for next, and whether a call may be made now |
/// | `CondemnedRecords` | whether a dead letter may be written now |
/// | `RefusedRecords` | when a record that the broker has refused is sent again |
/// | `CommitSchedule`, `TransactionState` | when positions are committed, and what a transaction holds |
/// | `Recall` | which records earlier owners have parked |
/// | `ParkedRecords` | which parked record of a partition may come back |
///
/// One thread drives the engine by `turn`. The engine holds no lock and no suspended task. It waits for the
/// cluster only where it asks for committed offsets, for numbers of partitions or for the ends of the parking
/// topic. Each turn takes in the events of the broker and the completions of the upstream, moves records on,
/// and returns how long the thread may sleep. A record is an entry in a table, and `RecordState` says where it
/// stands and where it may go:
///
///     arrived ─▶ queued ─▶ ready ─▶ calling ─▶ settling ─▶ gone, and its offset may be committed
///                (key)     │  ▲        │         │  ▲
///                          ▼  │        ▼         ▼  │
///                      blocked, held, backingOff   resending, waiting
///
/// A record that finds no earlier record of its key skips `queued`. A waiting record goes straight to
/// `settling` if its deadline passes, or if it is parked. A record that is to become a dead letter waits as
/// `condemned` while its budget has no room. With `delivery: exactly-once`, a record is `written` between
/// `settling` and the end.
///
/// The engine gets the time from its caller and random numbers from its own seeded generator. So a simulation
/// can repeat a run exactly.
package final class Engine<B: Broker, U: Upstream> {
    let settings: EngineSettings
    let facts: ClusterFacts
    let handler: ErasedHandler
    /// The handler's memory between records. No other engine has it.
    let handlerMemory: HandlerMemory
    let broker: B
    let upstream: BatchingUpstream<U>
    let metrics: EngineMetrics
    let logger: Logger
    let crashes: CrashRecorder?
    /// Begins the spans of sampled records; nil if nothing is traced.
    let tracer: Tracer?
    /// The parking topic; nil if every record stays in hand.
    var lot: ParkingLot?
    /// The headers that every outcome record carries.
    let outcomeHeaders: [RecordHeader]
    /// The frame of a schema registry before the value of each outcome; nil if there is none.
    let outcomeFrame: [UInt8]?
    var random: SplitMix64

    /// The engine's standing in the consumer group.
    var membership: Membership
    /// The assigned partitions. An entry of the table names its partition by the index in this list.
    var assignments: [Assignment<B.Source>] = []
    /// The number of partitions of the input and its retry topics. Where the fleet shares a rate, it is asked
    /// for again at every assignment; otherwise it stays as it was at the start.
    var consumedPartitions: Int

    var table: RecordTable
    /// The records that wait for a call, and what decides whether one may be made.
    var dispatch: Dispatch
    /// The records that the broker has refused for now.
    var refused = RefusedRecords()
    /// The queues of records that have to go one after the other, by key or by partition.
    var order: RecordOrder
    /// The records that wait for a dead-letter budget.
    var condemned: CondemnedRecords
    /// The choices of an operator, which the engine obeys.
    var orders = OperatorDesk.Orders()
    /// The calls that an operator has asked to see.
    var callLog = CallLog(nil)
    /// Whether the intake is stopped by records that wait for held lanes, and the log has said so.
    var isIntakeHeld = false
    /// The lanes that have a gauge of their waiting records above zero, as of the last report.
    var shownLanes: Set<String> = []

    /// When the positions are committed.
    var commits: CommitSchedule
    /// The records of the crash ledger that are settled and not committed yet; unused with exactly-once.
    var settledSuspects = SettledSuspects()
    /// The records of the producer's transactions; unused with at-least-once.
    var transaction = TransactionState()
    /// A count of the records that were finished or skipped, for the stall watch. Records that are taken in do not count:
    /// while the upstream is down, a worker takes some in from time to time.
    var progress: UInt64 = 0
    var stallWatch: StallWatch
    /// The commits that speak of a log that is no more, by their partitions.
    var corrections: [TopicPartition: Correction] = [:]
    /// The last error of a client that is about no partition and no record; nil if there was none since the last
    /// assignment.
    var clientTrouble: Trouble?
    /// The reason why the committed offsets cannot be read, and since when; nil if they can.
    var assignTrouble: Trouble?
    /// The tickets of the assigned partitions, as far as they have been read. Nil once they are all known,
    /// and where there is no parking topic.
    var recall: Recall?
    var unparking = Unparking()
    /// The records that came back from the parking topic and are in hand.
    var unparked: UnparkedShare
    /// The monotonic time before which `relieveIfCrowded` does nothing.
    var nextRelief: Int64 = .min
    /// The error of a client that cannot be used any more; `turn` throws it.
    var fatal: KafkaError?
    /// The monotonic time before which the log says nothing more of calls that are cut short.
    var nextCutNotice: Int64 = .min
    /// The index of the assignment from which the last intake began.
    var nextIntake = 0
    /// The monotonic time of the next sweep for expired records.
    var nextSweep: Int64 = .min
    /// The monotonic time of the next report of the gauges.
    var nextReport: Int64 = .min
    /// The instant of the current turn. All steps of a turn use this one.
    var now = Moment(monotonic: 0, wall: 0)
    var deadlineClock: DeadlineClock
    /// The number of records that were settled with an outcome so far.
    package internal(set) var settledRecords = 0
    /// The broker events of this turn. They are collected first, because handling one may add more.
    private var events: [BrokerEvent] = []
    /// The completions of one batch, collected for the same reason.
    private var completions: [(id: UInt64, result: Result<HTTPResponse, TransferError>)] = []

    /// Makes an engine without partitions. A handler without an endpoint is a mistake of the program, which
    /// ends it.
    ///
    /// - Parameters:
    ///   - crashes: Remembers the records that processes died of; nil if no record is to be marked.
    ///   - lot: The parking topic; nil if every record is to stay in hand. If all records of a partition are
    ///     in one order, it is not used.
    ///   - tracer: Begins the spans of sampled records; nil if nothing is traced.
    ///   - seed: The seed of all random choices.
    package init(
        settings: EngineSettings,
        facts: ClusterFacts,
        handler: ErasedHandler,
        broker: B,
        upstream: U,
        metrics: EngineMetrics,
        logger: Logger,
        crashes: CrashRecorder? = nil,
        lot: ParkingLot? = nil,
        tracer: Tracer? = nil,
        seed: UInt64
    ) {
        self.tracer = tracer
        self.crashes = crashes
        self.lot = settings.ordering == .partition ? nil : lot
        self.settings = settings
        self.facts = facts
        self.deadlineClock = DeadlineClock(aheadOfBrokersBy: facts.clockLead)
        self.consumedPartitions = facts.consumedPartitions
        self.handler = handler
        self.handlerMemory = handler.emptyMemory()
        self.broker = broker
        self.metrics = metrics
        self.logger = logger
        self.outcomeHeaders = [RecordHeader("content-type", settings.resultFormat.contentType)]
        self.outcomeFrame = settings.resultSchemaID.map {
            SchemaRegistryFraming.frame(
                schema: $0,
                settings.resultFormat,
                messageAt: handler.resultPlace
            )
        }
        self.random = SplitMix64(seed: seed)
        self.upstream = BatchingUpstream(
            upstream,
            batchesLimit: settings.concurrency,
            nonceStart: self.random.next()
        )
        self.dispatch = Dispatch(handler.endpoints, settings)
        self.table = RecordTable(endpoints: handler.endpoints.count)
        metrics.showClosed(circuitsOf: handler.endpoints.map(\.name))
        self.order = RecordOrder(settings.bypass)
        self.unparked = UnparkedShare(
            recordsLimit: settings.recordsLimit,
            bytesLimit: settings.bytesLimit
        )
        self.membership = Membership(drainLimit: settings.drainLimit, commitLimit: settings.commitLimit)
        self.commits = CommitSchedule(interval: settings.commitInterval)
        self.condemned = CondemnedRecords(settings.budget)
        self.stallWatch = StallWatch(limit: settings.stallLimit)
    }

    /// Runs one turn: takes in what has happened, and moves every record as far as it goes without waiting.
    ///
    /// - Throws: The error of a client that cannot be used any more. No record is lost by it: a record whose
    ///   offset was not committed is delivered again.
    package func turn(at now: Moment) throws(KafkaError) -> NextTurn {
        self.now = now
        self.readClock()
        try self.serveBroker()
        self.serveUpstream()
        try self.advancePhase()
        if self.phase == .working {
            self.buryCondemned()
            self.dispatch.wake(in: &self.table, at: now.monotonic, using: &self.random)
            self.sweepIfDue()
            try self.advanceRecall()
            self.relieveIfCrowded()
            try self.unpark()
            self.takeIn()
            self.makeCalls()
            self.cutOverdueCalls()
        }
        self.resendWhatIsDue()
        switch self.settings.delivery {
        case .atLeastOnce: try self.commitIfDue()
        case .exactlyOnce: try self.turnTransaction()
        }
        if let fatal = self.fatal { throw fatal }
        self.report()
        guard self.phase != .left else { return .never }
        return .after(self.longestSleep())
    }

    /// Begins to stop: no new call begins for a waiting record.
    ///
    /// `turn` returns `never` when all calls in flight have ended, their outcomes are acknowledged and the
    /// offsets are committed. It does so at the latest after `drainLimit` and twice `commitLimit`.
    package func stop() { self.membership.stop() }

    /// The number of records that were taken in and are not settled.
    package var recordsInHand: Int { self.table.count }

    /// The reason why this engine takes no work now, for `/readyz`. Nil if it takes work, and also if the
    /// group has assigned it an empty list of partitions.
    package var unreadiness: String? {
        switch self.phase {
        case _ where self.membership.isStopping: "stopping"
        case .working: self.stallWatch.stall?.description ?? self.pause
        case .idle: self.stallWatch.stall?.description ?? "no partitions assigned yet"
        case .assigning: self.stallWatch.stall?.description ?? "asking where the group left off"
        case .draining, .committing: "giving partitions back"
        case .leaving, .left: "leaving the group"
        }
    }

    private func serveBroker() throws(KafkaError) {
        self.broker.serve { self.events.append($0) }
        defer { self.events.removeAll(keepingCapacity: true) }
        for event in self.events { try self.brokerTold(event) }
    }

    private func brokerTold(_ event: BrokerEvent) throws(KafkaError) {
        switch event {
        case .assigned(let partitions): try self.partitionsAssigned(partitions)
        case .revoked(let partitions, let isLost): try self.partitionsRevoked(partitions, isLost: isLost)
        case .committed(let id, let error): self.commitAnswered(id, error)
        case .reported(let id, let error): self.produceReported(EntryID(packed: id), error)
        case .transaction(let answer): try self.transactionAnswered(answer)
        case .producerFailed(let error): self.producerFailed(error)
        case .failed(let error):
            if error.isFatal { throw error }
            self.clientTrouble = Trouble(error, since: self.now.monotonic)
            self.logger.warning("kafka trouble", metadata: ["error": "\(error)"])
        case .logged(let log): self.logger.pass(on: log)
        }
    }

    private func serveUpstream() {
        var isMore = true
        while isMore {
            isMore = self.upstream.serve(at: self.now.wall) { id, result in
                self.completions.append((id, result))
            }
            for (id, result) in self.completions { self.callCompleted(EntryID(packed: id), result) }
            self.completions.removeAll(keepingCapacity: true)
            // Freed slots are used before more completions are read, so that the upstream never waits for
            // this side.
            if isMore, self.phase == .working { self.makeCalls() }
        }
    }

    /// The monotonic time of the next step of the recall. The first question to the cluster is due at once.
    /// After it, arriving tickets wake the thread, and a look once a second is enough.
    private var nextLook: Int64 {
        self.recall?.ends == nil ? self.now.monotonic : self.now.after(.seconds(1))
    }

    /// Returns how long the thread may sleep if nothing arrives: until the next step that is due, and at most
    /// until the next report.
    private func longestSleep() -> Duration {
        var next = self.nextReport
        if let due = self.refused.nextDue { next = min(next, due) }
        if let due = self.nextPhaseDeadline { next = min(next, due) }
        if let due = self.settings.delivery == .exactlyOnce ? self.nextTransactionStep : self.nextCommit {
            next = min(next, due)
        }
        if self.phase == .working {
            // The steps below are taken only in the phase `working`. In another phase they would stay due and
            // keep the thread awake.
            if let due = self.dispatch.queues.backingOff.nextDue { next = min(next, due) }
            if let due = self.dispatch.nextCall(in: &self.table, at: self.now.monotonic) {
                next = min(next, due)
            }
            if let due = self.nextRetryDue { next = min(next, due) }
            if let due = self.condemned.nextRoom(at: self.now.monotonic) { next = min(next, due) }
            if let due = self.recall?.retryAt { next = min(next, max(due, self.nextLook)) }
            if let due = self.nextVisit { next = min(next, due) }
            if self.isReliefWanted { next = min(next, self.nextRelief) }
            if self.hasUnreadArrivals { next = self.now.monotonic }
            if self.membership.isStopping { next = self.now.monotonic }
        }
        let sleep = Duration.nanoseconds(next <= self.now.monotonic ? 0 : next - self.now.monotonic)
        return self.upstream.nextDeadline.map { min($0, sleep) } ?? sleep
    }
}
