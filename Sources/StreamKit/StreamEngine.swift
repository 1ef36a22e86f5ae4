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
        case committing
    }

    let settings: StreamSettings
    let application: any StreamApplication
    let broker: B
    let memory: M
    let metrics: StreamMetrics
    let logger: Logger
    let output = StreamOutput()
    var now: Moment
    var phase = Phase.working
    var stage = Stage.closed(retryAt: .min)
    var assignments: [Assignment<B.Source>] = []
    /// Tasks whose partitions the group has taken back, as they stood then: it may give them again at once.
    var kept: [TopicPartition: (task: any StreamTask, committed: Int64?)] = [:]
    /// Partitions that the group has given, as long as they have not been taken up.
    var offered: [TopicPartition]?
    var offerRetryAt: Int64 = .min
    /// The group wants its partitions back, and has no answer yet.
    var isRevoked = false
    /// They are gone already.
    var giveUpNow = false
    var isRestoring = false
    /// What was sent and has no report.
    var unreported = 0
    var lastID: UInt64 = 0
    /// Whether anything was sent in this transaction.
    var hasSent = false
    var transactionRecords = 0
    var transactionSince: Int64 = 0
    var isBroken = false
    var failures = 0
    var byteCount = 0
    var bytesCountedAt: Int64 = .min
    package private(set) var processedRecords: Int64 = 0
    var random = SystemRandomNumberGenerator()

    package init(
        settings: StreamSettings,
        application: any StreamApplication,
        broker: B,
        memory: M,
        metrics: StreamMetrics,
        logger: Logger
    ) {
        self.settings = settings
        self.application = application
        self.broker = broker
        self.memory = memory
        self.metrics = metrics
        self.logger = logger
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
        if self.phase == .left { return .done }
        return .after(isBusy ? .zero : self.sleep)
    }

    /// Why no work is taken; nil if it is.
    package var unreadiness: String? {
        if self.phase != .working { return "stopping" }
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
            case .assigned(let partitions):
                self.offered = partitions
                self.offerRetryAt = .min
            case .revoked(_, let isLost): self.revoked(isLost: isLost)
            case .committed: break
            case .reported(_, let error): self.reported(error)
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

    private func reported(_ error: KafkaError?) {
        self.unreported -= 1
        if let error { self.broken(error) }
    }

    // MARK: - Work

    /// Records that are processed between two looks at the clock and at what has happened elsewhere.
    private static var batch: Int { 4_096 }

    /// - Returns: whether there is more to do at once.
    private func work() throws(KafkaError) -> Bool {
        if self.isRestoring { try self.restore() }
        guard self.stage == .open, !self.isBroken, self.phase == .working, !self.isFull else {
            return self.isRestoring
        }
        self.flush()
        var taken = 0
        for index in self.assignments.indices where self.assignments[index].isWorking {
            guard taken < Self.batch, self.output.isEmpty else { break }
            taken += self.process(index, atMost: Self.batch - taken)
        }
        if taken > 0 {
            if self.transactionRecords == 0 { self.transactionSince = self.now.monotonic }
            self.transactionRecords += taken
            self.processedRecords += Int64(taken)
            self.metrics.processed(taken)
        }
        return taken > 0 || self.isRestoring
    }

    private func process(_ index: Int, atMost limit: Int) -> Int {
        guard self.assignments[index].source.hasArrivals else { return 0 }
        let task = self.assignments[index].task
        let source = self.assignments[index].source
        var position = self.assignments[index].position
        var timestamp = self.assignments[index].lastTimestamp
        var isAtEnd = self.assignments[index].isAtEnd
        let taken = source.read(atMost: limit) { record in
            position = record.offset + 1
            timestamp = record.timestamp ?? timestamp
            isAtEnd = false
            task.process(record, at: self.now, self.output)
            self.flush()
        } _: { error in
            if error.code == .endOfPartition {
                isAtEnd = true
            } else {
                self.logger.warning("kafka trouble", metadata: ["error": "\(error)"])
            }
        }
        self.assignments[index].position = position
        self.assignments[index].lastTimestamp = timestamp
        self.assignments[index].isAtEnd = isAtEnd
        return taken
    }

    /// Sends what tasks have put out, as far as there is room.
    func flush() {
        guard !self.output.isEmpty, !self.isBroken, self.stage == .open || self.stage == .closing else {
            return
        }
        do throws(KafkaError) {
            try self.output.drain { record throws(KafkaError) in
                self.lastID += 1
                try self.broker.send(record, id: self.lastID)
                self.unreported += 1
                self.hasSent = true
            }
        } catch  where error.code == .queueFull {
            return
        } catch {
            self.broken(error)
        }
    }

    // MARK: - Memory

    private static var bytesInterval: Duration { .seconds(2) }

    /// Whether the state has grown beyond what it may take. It shrinks when messages end, or when others take
    /// partitions over.
    var isFull: Bool {
        if self.now.monotonic >= self.bytesCountedAt {
            self.bytesCountedAt = self.now.after(Self.bytesInterval)
            self.byteCount = self.assignments.reduce(0) { $0 + $1.task.byteCount }
            self.metrics.held(bytes: self.byteCount)
        }
        return self.byteCount > self.settings.memoryLimit
    }

    /// How long nothing has to be done if nothing happens.
    private var sleep: Duration {
        var due = self.now.after(.seconds(1))
        switch self.stage {
        case .closed(let retryAt): due = min(due, retryAt)
        case .open where self.hasWork: due = min(due, self.transactionDue)
        case .open, .opening, .closing, .committing: break
        }
        if self.offered != nil { due = min(due, self.offerRetryAt) }
        // Until the transaction of the moment is decided nothing can be begun.
        if self.stage == .open,
            let wall = self.assignments.lazy.filter(\.isWorking).compactMap(\.task.nextDue).min() {
            due = min(due, self.now.after(.milliseconds(max(0, wall.subtractingClamped(self.now.wall)))))
        }
        return .nanoseconds(max(0, due - self.now.monotonic))
    }
}
