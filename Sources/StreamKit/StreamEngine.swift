package import Kafka
package import Logging
import Records
package import WorkerKit

/// Turns partitions into tasks, and their work into transactions.
///
/// One thread owns it. A record is processed at once and in order; what comes of it is published in the transaction of
/// the moment. Once in a commit interval the tasks add what they have to write down, and when the broker has
/// everything, it is committed together with the group's positions. So a task's state, as it can be read back, always
/// belongs to the committed position, and a worker that dies at any moment is replaced by one that knows what it knew
/// at the last commit and reads on from there.
///
/// Whatever fails ends the same way: the producer is made anew, which has the cluster decide what was open, every task
/// is dropped, and its state is read back. There is one way to recover, and every start takes it.
package final class StreamEngine<B: Broker, M: MemoryReader> {
    enum Phase: Hashable {
        case working
        /// The group wants its partitions back: what is in hand is committed first.
        case draining
        /// Asked to stop: the same, and then the group is left.
        case stopping
        case leaving
        case left
    }

    enum Stage: Hashable {
        case closed(retryAt: Int64)
        case opening
        case open
        /// Nothing is processed any more: what was sent is to be acknowledged.
        case closing
        case committing([CommittedPosition])
    }

    enum Revocation: Hashable {
        /// They are to be given up when what is in hand is committed.
        case asked
        /// Somebody else has them already.
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
    /// Tasks whose partitions the group has taken back, as they stood then: it may give them again at once.
    var kept: [TopicPartition: (task: any StreamTask, committed: CommittedPosition)] = [:]
    /// Partitions that the group has given, as long as they have not been taken up.
    var offered: [TopicPartition]?
    var offerRetryAt: Int64 = .min
    /// Partitions whose commit speaks of a topic that is no more.
    var madeAnew: Set<TopicPartition> = []
    /// Why partitions that are here are not to stay; nil once the group has its answer.
    var revocation: Revocation?
    /// Nobody waits longer for a goodbye to be heard.
    var leavingUntil: Int64 = .max
    var isRestoring = false
    /// What was sent and has no report.
    var unreported = 0
    var lastID: UInt64 = 0
    /// What was sent up to this one was sent through a producer that was given up.
    var lastForeignID: UInt64 = 0
    /// Whether anything was sent in this transaction.
    var hasSent = false
    var transactionRecords = 0
    /// Whether offsets were passed that have no record, such as the marks that transactions end with.
    var hasSkipped = false
    var stall: StallWatch
    var stallLookAt: Int64 = .min
    /// What has gone wrong last, for whoever asks why nothing is finished.
    var lastTrouble = "no error is known"
    var committedTransactions: UInt64 = 0
    /// Counts transactions that were to be committed.
    var commits = 0
    var transactionSince: Int64 = 0
    var isBroken = false
    var failures = 0
    var byteCount = 0
    var bytesCountedAt: Int64 = .min
    var recordsSinceCount = 0
    package internal(set) var processedRecords: Int64 = 0
    let quota: RecordQuota?
    var random: SplitMix64
    /// Tells this engine's commits from those of any other.
    let signature: String
    /// Nil where records are not marked.
    let crashes: (any CrashMemory)?
    /// Records of this transaction that have killed a process before.
    var suspects: [(topic: String, partition: Int32, offset: Int64)] = []
    /// Part of what commits are bound to.
    let clusterID: String

    /// - Parameters:
    ///   - budget: shared with other engines of the process; nil if there are none.
    ///   - quota: records that may still be taken in, shared with other engines of the process; nil for no bound.
    ///   - crashes: remembers which records have killed a process; nil if nothing does.
    ///   - clusterID: of the cluster whose offsets are committed.
    ///   - seed: of pauses between two tries, and of the engine's signature: no two of a group have the same.
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
        seed: UInt64
    ) {
        self.settings = settings
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
        self.stall = StallWatch(limit: settings.stallLimit)
        self.now = Moment(monotonic: 0, wall: 0)
    }

    /// What the loop is to do after a turn.
    package enum Next: Hashable, Sendable {
        case after(Duration)
        case done
    }

    /// Asks for the end: what is in hand is committed, and the group is left.
    package func stop() {
        guard self.phase == .working || self.phase == .draining else { return }
        self.phase = .stopping
    }

    /// Takes every step that is due.
    ///
    /// - Throws: the error of a client that is of no use any more.
    package func turn(at now: Moment) throws(KafkaError) -> Next {
        self.now = now
        try self.serve()
        try self.turnTransaction()
        try self.takeUpOffer()
        let isBusy = try self.work()
        try self.turnPhase()
        self.flush()
        self.watchForStall()
        if self.phase == .left { return .done }
        return .after(isBusy ? .zero : self.sleep)
    }

    /// Why no work is taken; nil if it is.
    package var unreadiness: String? {
        if self.phase != .working { return "stopping" }
        if let stall = self.stall.stall {
            return "stalled (\(stall.cause)): \(stall.description); \(stall.remedy)"
        }
        if self.isFull { return "the state takes more memory than state.memory_limit allows" }
        if case .closed = self.stage { return "no transaction" }
        if case .opening = self.stage { return "no transaction" }
        if self.isRestoring { return "reading back the state" }
        return nil
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
