package import Kafka
package import Logging
import Records
import UpstreamHTTP
import WireFormats

/// Turns records into calls and calls into outcomes: the heart of every worker.
///
/// It is a machine of plain values that one thread turns: nothing in it waits, suspends or locks. Each turn takes
/// in what the broker and the upstream have to tell, moves records along the one-way street, and says how long
/// the thread may sleep. Records are entries in a table; where one stands is its `Entry.State`:
///
///     arrival ─▶ queued ─▶ ready ─▶ calling ─▶ settling ─▶ gone, and its offset may be committed
///                  (key)     ▲         │  │        ▲ │
///                            │         │  └▶ held ─┘ └▶ resending
///                            └─ backingOff
///
/// The engine knows time only from its caller and chance only from its generator, so a simulation of it is exact.
package final class Engine<B: Broker, U: Upstream> {
    let settings: EngineSettings
    let facts: ClusterFacts
    let handler: ErasedHandler
    let broker: B
    let upstream: U
    let metrics: EngineMetrics
    let logger: Logger
    let crashes: CrashRecorder?
    /// Nil if everything stays in hand.
    var lot: ParkingLot?
    /// What every outcome record carries.
    let outcomeHeaders: [RecordHeader]
    var random: SplitMix64

    var phase = Phase.idle
    var assignments: [Assignment<B.Source>] = []
    /// Counts assignments, so that what was begun under an earlier one can be told apart.
    var epoch: UInt64 = 0
    var isStopping = false
    /// Of the input and its retry topics, when this engine last got its partitions.
    var consumedPartitions: Int

    var table = RecordTable()
    var ready = ReadyRecords()
    var backingOff = DueQueue<EntryID>()
    /// Calls that records in the ready queue or in held lanes are to go on with, instead of a new plan.
    var followUps: [EntryID: Call<any Sendable>] = [:]
    var resending = DueQueue<EntryID>()
    /// The queues of records that have to go one after the other.
    var tails: [OrderingKey: Tail] = [:]
    var bypass: KeyBypass<OrderingKey>
    /// Records that a dead-letter budget has no room for. An account without any is not there.
    var condemned: [DeadLetterBudgets.Account: Fifo<EntryID>] = [:]
    var budgets: DeadLetterBudgets
    /// Nil before the first assignment, or without a limit.
    var rate: RateLimit?
    var adaptiveLimit: ConcurrencyLimit
    var lanes: Lanes
    var held: [String: HeldRecords] = [:]
    /// The intake is full of records that wait for held lanes, and the log says so already.
    var isIntakeHeld = false
    /// Lanes whose records the gauges show.
    var shownLanes: Set<String> = []

    var endpoints: [EndpointState]
    /// The number of the last call.
    var lastCall: UInt64 = 0
    var callsInFlight = 0
    /// Those of them that are for records which fail where others succeed.
    var outliersInFlight = 0
    /// Calls whose records were taken away; their completions will be stale.
    var orphanedCalls = 0

    var commit = CommitState()
    var transaction = TransactionState()
    var lastCommitID: UInt64 = 0
    /// Records whose dead letter or outcome the broker has not acknowledged.
    var settlingCount = 0
    /// Counts what was taken in and what was finished.
    var progress: UInt64 = 0
    var stallWatch: StallWatch
    /// Since when the broker has taken nothing, and why.
    var produceTrouble: Trouble?
    var commitTrouble: Trouble?
    /// Partitions whose commit speaks of a topic that is no more.
    var madeAnew: Set<TopicPartition> = []
    /// Why what the group has committed cannot be learnt.
    var assignTrouble: Trouble?
    /// When the current drain began.
    var drainStarted: Int64?
    /// The broker is given so long to let this engine go.
    var leavingUntil: Int64 = .max
    /// Nil once the tickets of the assigned partitions are known.
    var recall: Recall?
    var unparking = Unparking()
    /// Records that there are tickets for, those that came back included.
    var parkedTickets = 0
    var nextRelief: Int64 = .min
    /// A client is of no use any more.
    var fatal: KafkaError?
    var nextIntake = 0
    var nextSweep: Int64 = .min
    var nextReport: Int64 = .min
    var now = Moment(monotonic: 0, wall: 0)
    var deadlineClock = DeadlineClock()
    /// Records settled so far.
    package internal(set) var settledRecords = 0
    /// What is told during a turn, collected before it is acted on: an answer to it may call back.
    private var events: [BrokerEvent] = []
    private var completions: [(id: UInt64, result: Result<HTTPResponse, TransferError>)] = []

    /// What the group has given this engine, and what it is about to take back.
    enum Phase: Hashable {
        case idle
        /// Assigned, but what the group has committed is not known yet: ask again at this monotonic time.
        case assigning([TopicPartition], retryAt: Int64)
        case working
        /// Nothing new begins; what is in flight may finish until then.
        case draining(until: Int64, Draining)
        /// The last commit is on its way.
        case committing(until: Int64, Draining)
        case leaving
        case left
    }

    enum Draining: Hashable {
        /// The group waits for its partitions.
        case revoked
        case stopping
        /// A topic was deleted and made again: its partitions are taken up once more, from their beginnings.
        case restarting
    }

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
        seed: UInt64
    ) {
        self.crashes = crashes
        self.lot = settings.ordering == .partition ? nil : lot
        self.settings = settings
        self.facts = facts
        self.consumedPartitions = facts.consumedPartitions
        self.handler = handler
        self.broker = broker
        self.upstream = upstream
        self.metrics = metrics
        self.logger = logger
        self.outcomeHeaders = [RecordHeader("content-type", settings.resultFormat.contentType)]
        self.random = SplitMix64(seed: seed)
        self.lanes = Lanes(settings.lanes)
        self.endpoints = handler.endpoints.map { EndpointState($0, settings.breaker) }
        precondition(!self.endpoints.isEmpty, "a handler without an endpoint calls nobody")
        metrics.showClosed(circuitsOf: handler.endpoints.map(\.name))
        self.bypass = KeyBypass(settings.bypass)
        self.budgets = DeadLetterBudgets(settings.budget)
        self.stallWatch = StallWatch(limit: settings.stallLimit)
        self.adaptiveLimit = ConcurrencyLimit(
            ConcurrencyLimit.Settings(minimum: settings.leastConcurrency, maximum: settings.concurrency)
        )
    }

    /// What the thread does after a turn.
    package enum NextTurn: Hashable, Sendable {
        /// Sleep until something arrives, or for at most this long.
        case after(Duration)
        /// The group has been left and nothing is in hand: the end.
        case never
    }

    /// Moves everything along as far as it goes without waiting.
    ///
    /// - Throws: the error of a client that is of no use any more. Nothing is lost by it: what was not committed
    ///   is delivered again.
    package func turn(at now: Moment) throws(KafkaError) -> NextTurn {
        self.now = now
        self.readClock()
        try self.serveBroker()
        self.serveUpstream()
        try self.advancePhase()
        if self.phase == .working {
            self.buryCondemned()
            self.wakeWhoIsDue()
            self.sweepIfDue()
            try self.advanceRecall()
            self.relieveIfCrowded()
            try self.unpark()
            self.takeIn()
            self.dispatch()
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

    /// Begins to stop: nothing new is begun, and `turn` says `never` when all is settled and committed, or when
    /// the drain limit has passed.
    package func stop() { self.isStopping = true }

    /// Records taken in and not settled.
    package var recordsInHand: Int { self.table.count }

    /// Why this engine takes no work now; nil if it does, or would if it had partitions.
    package var unreadiness: String? {
        switch self.phase {
        case _ where self.isStopping: "stopping"
        case .working: self.stallWatch.stall?.description
        case .idle: "no partitions assigned yet"
        case .assigning: "asking where the group left off"
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
            self.logger.warning("kafka trouble", metadata: ["error": "\(error)"])
        case .logged(let log): self.logger.pass(on: log)
        }
    }

    private func serveUpstream() {
        var isMore = true
        while isMore {
            isMore = self.upstream.serve { id, result in self.completions.append((id, result)) }
            for (id, result) in self.completions { self.callCompleted(EntryID(packed: id), result) }
            self.completions.removeAll(keepingCapacity: true)
            // Freed slots are taken before more is read, so that the upstream never waits for this side.
            if isMore, self.phase == .working { self.dispatch() }
        }
    }

    /// A cluster that was asked wakes whoever waits for it; this is for the first question.
    private var nextLook: Int64 {
        self.recall?.ends == nil ? self.now.monotonic : self.now.after(.seconds(1))
    }

    private func longestSleep() -> Duration {
        var next = self.now.after(.seconds(1))
        if let due = self.resending.nextDue { next = min(next, due) }
        if let due = self.nextPhaseDeadline { next = min(next, due) }
        if let due = self.settings.delivery == .exactlyOnce ? self.nextTransactionStep : self.nextCommit {
            next = min(next, due)
        }
        if self.phase == .working {
            // Nobody is woken for these while partitions are on their way out, so they must not keep it awake.
            if let due = self.backingOff.nextDue { next = min(next, due) }
            if let due = self.nextAdmission { next = min(next, due) }
            if let due = self.nextRetryDue { next = min(next, due) }
            if let due = self.nextBudget { next = min(next, due) }
            if let due = self.recall?.retryAt { next = min(next, max(due, self.nextLook)) }
            if let due = self.nextVisit { next = min(next, due) }
            if self.isReliefWanted { next = min(next, self.nextRelief) }
            if self.hasUnreadArrivals { next = self.now.monotonic }
            if self.isStopping { next = self.now.monotonic }
        }
        let sleep = Duration.nanoseconds(next <= self.now.monotonic ? 0 : next - self.now.monotonic)
        return self.upstream.nextDeadline.map { min($0, sleep) } ?? sleep
    }
}
