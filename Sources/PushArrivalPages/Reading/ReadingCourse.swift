import EventThread
import Kafka
import Logging
import Records
import WireFormats

/// The reading of one topic from start to stop, on the thread that it was made on.
final class ReadingCourse {
    private let log: LogReader
    private let topic: String
    private let history: Int64
    private let board: StatisticsBoard
    private let standing: ReadingStanding
    private let logger: Logger
    private let now: @Sendable () -> Int64

    /// By the places of `log.partitions`: where the next record is expected.
    private var next: [Int64] = []
    private var isLive = false
    /// What librdkafka last complained of; only a question to the cluster tells whether it matters.
    private var complaint: KafkaError?
    private var nextQuestion = ContinuousClock.now
    private var nextCount = ContinuousClock.now
    /// How long the cluster may take to answer a question, and so how long a stop may take.
    private static let patience = Duration.seconds(2)
    /// How often it is asked whether it is there while it has nothing to send, and while it is away.
    private static let questionInterval = Duration.seconds(5)
    private static let troubleInterval = Duration.seconds(1)
    /// How often partitions are counted: somebody may have added some.
    private static let countInterval = Duration.seconds(60)
    private static let batchLimit = 4_096
    /// A whole snapshot of a message, with every reason and bucket that it can have, is a fraction of this.
    private static let recordBytesLimit = 65_536

    init(
        log: LogReader,
        topic: String,
        history: Int64,
        board: StatisticsBoard,
        standing: ReadingStanding,
        logger: Logger,
        now: @escaping @Sendable () -> Int64
    ) {
        self.log = log
        self.topic = topic
        self.history = history
        self.board = board
        self.standing = standing
        self.logger = logger
        self.now = now
    }

    func run(until stop: StopSign) {
        var wait = Wait(on: [self.log.descriptor, stop.descriptor])
        var hasHurried = false
        while !stop.isRaised {
            let taken = self.visit()
            self.becomeLiveAtTheEnd()
            if taken > 0 {
                hasHurried = false
                self.nextQuestion = .now + Self.questionInterval
                continue
            }
            if ContinuousClock.now >= self.nextQuestion { self.ask() }
            guard !self.log.hasArrivals else { continue }
            if !self.isLive, !hasHurried, !self.next.isEmpty {
                self.log.hurry(self.log.partitions, atMost: Self.patience)
                hasHurried = true
            }
            wait(atMost: max(.zero, self.nextQuestion - .now))
        }
    }

    // MARK: Records

    /// - Returns: how many records there were.
    private func visit() -> Int {
        var unreadable: Int64 = 0
        let taken = self.log.visit(atMost: Self.batchLimit) { place, record in
            if self.next.indices.contains(place) { self.next[place] = record.offset + 1 }
            // A tombstone says that there is nothing more to know of a message, and nothing of what there was.
            guard record.valueByteCount != nil else { return }
            do {
                self.board.take(try Self.statistics(record.copy()))
            } catch {
                unreadable += 1
            }
        } _: { error in
            // Asked at once, the cluster tells whether it is away or only one connection of many was closed.
            if self.complaint == nil { self.nextQuestion = .now }
            self.complaint = error
        }
        guard taken > 0 else { return 0 }
        if unreadable > 0, self.standing.now.unreadable == 0 {
            self.logger.warning("records of the statistics topic are no statistics and were skipped")
        }
        self.standing.read(Int64(taken), unreadable: unreadable, at: self.now())
        return taken
    }

    private static func statistics(_ record: InboundRecord) throws(RecordFault) -> PushStatisticsRecord {
        try PushStatisticsRecord(decoding: record, bytesLimit: self.recordBytesLimit)
    }

    private func becomeLiveAtTheEnd() {
        guard !self.isLive, !self.next.isEmpty, self.log.ends.allSatisfy({ $0 != nil }) else { return }
        self.isLive = true
        self.standing.became(.live)
    }

    // MARK: Questions

    /// Asks the cluster whatever is to be asked next, so that its silence is known for what it is.
    private func ask() {
        defer { self.complaint = nil }
        do throws(KafkaError) {
            if self.next.isEmpty || ContinuousClock.now >= self.nextCount {
                try self.countPartitions()
                self.nextCount = .now + Self.countInterval
            } else {
                _ = try self.log.bounds(of: self.log.partitions, atMost: Self.patience)
            }
            if self.standing.heard(at: self.now()) { self.logger.info("the statistics can be read again") }
            self.nextQuestion = .now + (self.next.isEmpty ? Self.troubleInterval : Self.questionInterval)
        } catch {
            let reason = self.complaint.map { "\($0)" } ?? "\(error)"
            if self.standing.failed(because: reason) {
                self.logger.warning("the statistics cannot be read now", metadata: ["error": "\(reason)"])
            }
            self.nextQuestion = .now + Self.troubleInterval
        }
    }

    /// Begins to read, or goes on with partitions that are new.
    private func countPartitions() throws(KafkaError) {
        let count = try self.log.metadata(atMost: Self.patience).partitionCounts[self.topic] ?? 0
        guard count > self.next.count else { return }
        let known = Dictionary(zip(self.log.partitions, self.next)) { $1 }
        let partitions = (0..<Int32(clamping: count)).map { TopicPartition(topic: self.topic, partition: $0) }
        let bounds = try self.log.bounds(of: partitions, atMost: Self.patience)
        var positions: [TopicPartition: Int64] = [:]
        var records: Int64 = 0
        for partition in partitions {
            let bounds = bounds[partition] ?? 0..<0
            let start = known[partition] ?? max(bounds.lowerBound, bounds.upperBound - self.history)
            positions[partition] = start
            records += max(0, bounds.upperBound - start)
        }
        try self.log.start(at: positions)
        self.next = self.log.partitions.map { positions[$0] ?? 0 }
        self.isLive = false
        self.standing.became(.catchingUp(atMost: records))
    }
}
