package import Kafka
package import Logging
import Records
package import ServiceKit

/// Turns partitions into tasks, and the work of the tasks into transactions.
///
/// One thread owns the engine. A record is processed at once and in order, and the records that come of it
/// are sent in the current transaction. Once in a commit interval the tasks add the state that they have to
/// write down. When the broker has acknowledged everything, the transaction is committed together with the
/// group's positions. So the state of a task, as it can be read back, always belongs to the committed
/// position. A worker that dies at any moment is replaced by one that knows what the dead one knew at its
/// last commit, and reads on from there.
///
/// Every failure ends in one way: a new producer is made, which has the cluster decide the transaction that
/// was open, every task is dropped, and its state is read back. There is one way to recover, and every start
/// takes it.
package final class StreamEngine<B: Broker, M: MemoryReader> {
    /// The engine's part in its group.
    enum Phase: Hashable {
        case working
        /// The group has revoked the partitions. The work in hand is committed before they are given up.
        case draining
        /// A stop was requested. The work in hand is committed, and then the group is left.
        case stopping
        case leaving
        case left
    }

    /// The stages of a transaction.
    enum Stage: Hashable {
        /// No transaction is open. The next one may be opened at this monotonic time.
        case closed(retryAt: Int64)
        case opening
        case open
        /// No record is processed any more. The records that were sent have to be acknowledged.
        case closing
        /// The commit of the transaction with these positions is under way.
        case committing([CommittedPosition])
    }

    /// Why the partitions in hand have to be given up.
    enum Revocation: Hashable {
        /// The partitions are to be given up when the work in hand is committed.
        case asked
        /// Another member already has the partitions.
        case lost
    }

    let settings: StreamSettings
    let application: any StreamApplication
    let broker: B
    let memory: M
    let metrics: StreamMetrics
    let logger: Logger
    let budget: MemoryBudget
    let output = StreamOutput()
    var now: Moment
    var phase = Phase.working
    var stage = Stage.closed(retryAt: .min)
    var assignments: [Assignment<B.Source>] = []
    /// The index of the partition that is read first in the next turn.
    var nextAssignment = 0
    /// The tasks whose partitions the group has taken back, with the commit of that time. The group may
    /// assign the partitions again at once.
    var kept: [TopicPartition: (task: any StreamTask, committed: CommittedPosition)] = [:]
    /// The partitions that the group has assigned, as long as they have not been taken up.
    var offered: [TopicPartition]?
    var offerRetryAt: Int64 = .min
    /// Whether the group has assigned partitions, which can be none at all, and they have not been given up since.
    var hasAssignment = false
    /// The commits that are about a topic that was deleted and created again, by their partitions.
    var madeAnew: [TopicPartition: CommittedPosition] = [:]
    /// The reason why the partitions in hand have to be given up; nil once the group has its answer.
    var revocation: Revocation?
    /// The monotonic time until which the engine waits for the group to confirm that it has left.
    var leavingUntil: Int64 = .max
    var isRestoring = false
    /// The reason why this worker must not work with the state that it has found; nil as long as it may. No task whose
    /// state has such a record becomes ready for work. The owner of the engine ends with this failure.
    package internal(set) var refusal: PreflightFailure?
    /// Whether an operator has paused the worker, so that it processes no records.
    package var isPaused = false
    /// The number of records that were sent and have no delivery report.
    var unreported = 0
    var lastID: UInt64 = 0
    /// The id of the last record that was sent through a producer that was given up. Reports up to this id
    /// are ignored.
    var lastForeignID: UInt64 = 0
    /// Whether a record was sent in this transaction.
    var hasSent = false
    /// Whether a record that was not committed before was taken in by this transaction.
    var hasTaken = false
    var transactionRecords = 0
    /// The records that a transaction may take up now. A transaction that fails may have been too large for
    /// the cluster's time, so the next may take up half of its records; each that is committed doubles the
    /// number again, up to the setting.
    var recordsAllowed: Int
    /// Whether a position has passed offsets without a record, such as transaction markers.
    var hasSkipped = false
    var stall: StallWatch
    var stallLookAt: Int64 = .min
    /// The last error, for a report that nothing is finished.
    var lastTrouble = "no error is known"
    /// The last error of a client that is about no partition and no record; nil if there was none since the last
    /// assignment.
    var clientTrouble: KafkaError?
    var committedTransactions: UInt64 = 0
    /// The number of transactions that were to be committed. It is the count in the stamps of commits
    /// (`CommitStamp`).
    var commits = 0
    var transactionSince: Int64 = 0
    var isBroken = false
    var failures = 0
    /// The monotonic time of the last of these failures.
    var failedAt: Int64 = .min
    /// The memory that the states of this engine took when it was last counted.
    var held = MemoryBudget.Part()
    var bytesCountedAt: Int64 = .min
    var recordsSinceCount = 0
    /// The number of records processed so far. A record whose transaction failed counts again when it is
    /// processed again.
    package internal(set) var processedRecords: Int64 = 0
    let quota: RecordQuota?
    var random: SplitMix64
    /// The name that tells this engine's commits from those of any other.
    let signature: String
    /// The clock by which tasks end what they wait for. A wall clock that steps ahead would end all of it, for good.
    var clock: DeadlineClock
    /// The memory of records that have killed a process; nil if records are not marked.
    let crashes: (any CrashMemory)?
    /// The records of this transaction that have killed a process before.
    var suspects: [(topic: String, partition: Int32, offset: Int64)] = []
    /// The id of the cluster, which is part of the mark in the stamps of commits.
    let clusterID: String
    let groupID: String

    /// - Parameters:
    ///   - budget: The memory budget, shared with other engines of the process; nil for a budget of its own.
    ///   - quota: The records that may still be taken in, shared with other engines of the process; nil for
    ///     no bound.
    ///   - crashes: The memory of records that have killed a process; nil if records are not marked.
    ///   - clusterID: The id of the cluster whose offsets are committed.
    ///   - groupID: The name of the consumer group, for reports.
    ///   - clockLead: The milliseconds by which the wall clock is ahead of the brokers'; 0 if that is unknown.
    ///   - seed: The seed of the pauses between two tries, and of the engine's name in its commits. No two
    ///     engines of a group may have the same.
    package init(
        settings: StreamSettings,
        application: any StreamApplication,
        broker: B,
        memory: M,
        metrics: StreamMetrics,
        budget: MemoryBudget? = nil,
        quota: RecordQuota? = nil,
        logger: Logger,
        crashes: (any CrashMemory)? = nil,
        clusterID: String = "",
        groupID: String,
        clockLead: Int64 = 0,
        seed: UInt64
    ) {
        self.settings = settings
        self.recordsAllowed = settings.transactionRecords
        self.quota = quota
        self.application = application
        self.broker = broker
        self.memory = memory
        self.metrics = metrics
        self.logger = logger
        self.budget = budget ?? MemoryBudget(limit: settings.memoryLimit)
        self.random = SplitMix64(seed: seed)
        self.signature = String(self.random.next(), radix: 16)
        self.crashes = crashes
        self.clusterID = clusterID
        self.groupID = groupID
        self.clock = DeadlineClock(aheadOfBrokersBy: clockLead)
        self.stall = StallWatch(limit: settings.stallLimit)
        self.now = Moment(monotonic: 0, wall: 0)
    }

    /// Requests the end: the work in hand is committed, and the group is left.
    package func stop() {
        guard self.phase == .working || self.phase == .draining else { return }
        self.phase = .stopping
    }

    /// Takes every step that is due.
    ///
    /// - Throws: The error of a client that is of no use any more.
    package func turn(at now: Moment) throws(KafkaError) -> NextTurn {
        self.now = now
        self.tell(self.clock.read(now))
        try self.serve()
        try self.turnTransaction()
        try self.takeUpOffer()
        let isBusy = try self.work()
        try self.turnPhase()
        self.flush()
        self.watchForStall()
        if self.phase == .left { return .never }
        return .after(isBusy ? .zero : self.sleep)
    }

    /// Says that an operator has paused the worker.
    static var pause: String { "an operator has paused the worker" }

    /// The reason why the engine takes no work. Nil if it does, and also if the group has assigned it an empty list of
    /// partitions.
    package var unreadiness: String? {
        switch self.phase {
        case .working, .draining: break
        case .stopping, .leaving, .left: return "stopping"
        }
        if let stall = self.stall.stall {
            return "stalled (\(stall.cause)): \(stall.description); \(stall.remedy)"
        }
        if self.phase == .draining { return "giving partitions back" }
        guard self.hasAssignment else { return "no partitions assigned yet" }
        if self.isPaused { return Self.pause }
        if self.isFull { return "the state takes more memory than state.memory_limit allows" }
        if case .closed = self.stage { return "no transaction" }
        if case .opening = self.stage { return "no transaction" }
        if self.offered != nil { return "asking where the group left off" }
        if self.isRestoring { return "reading back the state" }
        return nil
    }

    // MARK: - The clock

    /// The time for tasks: the wall clock as far as it is proven.
    var provenNow: Moment {
        Moment(monotonic: self.now.monotonic, wall: self.clock.wall(at: self.now))
    }

    /// Uses the timestamp of a record as evidence of the time elsewhere, while the wall clock is in doubt. Records that
    /// workers have written are no evidence: their machines can have the same wrong time.
    func noteTime(of record: borrowing InboundRecord) {
        guard self.clock.isInDoubt, let timestamp = record.timestamp,
            self.application.inputTopics.contains(record.topic)
        else { return }
        self.tell(self.clock.saw(timestamp: timestamp, at: self.now))
    }

    private func tell(_ finding: DeadlineClock.Finding) {
        finding.tell(self.logger) { self.metrics.clockIsAhead(milliseconds: $0) }
    }

    // MARK: - Events

    private func serve() throws(KafkaError) {
        var failure: KafkaError?
        self.broker.serve { event in
            switch event {
            case .assigned(let partitions): self.assigned(partitions)
            case .revoked(_, let isLost): self.revoked(isLost: isLost)
            case .committed: break
            case .reported(let id, let error): self.reported(id, error)
            case .transaction(let answer): failure = self.answered(answer) ?? failure
            case .producerFailed(let error): self.broken(error)
            case .failed(let error):
                if error.isFatal { failure = error }
                self.clientTrouble = error
                self.logger.warning("kafka trouble", metadata: ["error": "\(error)"])
            case .logged(let log): self.logger.pass(on: log)
            }
        }
        if let failure { throw failure }
    }

    private func reported(_ id: UInt64, _ error: KafkaError?) {
        guard id > self.lastForeignID else { return }
        self.unreported -= 1
        if let error { self.broken(error) }
    }
}
