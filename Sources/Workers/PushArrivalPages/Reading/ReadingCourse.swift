import EventThread
import Kafka
import Logging
import Records
import WireFormats

/// The reading of the statistics topic from start to stop. It belongs to the thread that has created it.
final class ReadingCourse {
    private let log: LogReader
    private let topic: String
    private let history: Int64
    private let board: StatisticsBoard
    private let standing: ReadingStanding
    private var watch: SegmentWatch
    private let logger: Logger
    private let now: @Sendable () -> Int64

    /// The next offset that is expected in each partition, in the order of `log.partitions`; empty until the
    /// topic is found.
    private var next: [Int64] = []
    /// Whether every partition has been read to its end since the last start.
    private var isLive = false
    /// The last error that librdkafka has reported since the last request to the cluster. Only a request
    /// shows whether the cluster is really away.
    private var complaint: KafkaError?
    /// The time of the next request to the cluster.
    private var nextQuestion = ContinuousClock.now
    /// The time of the next count of the partitions.
    private var nextCount = ContinuousClock.now
    /// The longest wait for an answer of the cluster. A stop takes at most as long as the requests that are
    /// under way.
    private static let patience = Duration.seconds(2)
    /// The interval of requests to a cluster that answers but sends no records.
    private static let questionInterval = Duration.seconds(5)
    /// The interval of requests while the cluster does not answer or the topic does not exist.
    private static let troubleInterval = Duration.seconds(1)
    /// The interval at which the partitions are counted, because partitions may have been added.
    private static let countInterval = Duration.seconds(60)
    /// The greatest number of records in one visit.
    private static let batchLimit = 4_096
    /// The longest value that is decoded, in bytes. The statistics of one message take a fraction of this,
    /// even with every reason and every bucket.
    private static let recordBytesLimit = 65_536

    init(
        log: LogReader,
        topic: String,
        history: Int64,
        board: StatisticsBoard,
        standing: ReadingStanding,
        watch: SegmentWatch,
        logger: Logger,
        now: @escaping @Sendable () -> Int64
    ) {
        self.log = log
        self.topic = topic
        self.history = history
        self.board = board
        self.standing = standing
        self.watch = watch
        self.logger = logger
        self.now = now
    }

    /// Reads records, and waits for more, until `stop` is raised. The method blocks its thread.
    func run(until stop: StopSign) {
        var wait = Wait(on: [self.log.descriptor, stop.descriptor])
        var hasHurried = false
        while !stop.isRaised {
            let taken = self.visit()
            self.becomeLiveAtTheEnd()
            if self.isLive { self.watch.look(at: self.board, now: self.now()) }
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

    /// Puts the records that have arrived on the board. The method never waits.
    ///
    /// - Returns: the number of records that were read.
    private func visit() -> Int {
        var unreadable: Int64 = 0
        let taken = self.log.visit(atMost: Self.batchLimit) { place, record in
            if self.next.indices.contains(place) { self.next[place] = record.offset + 1 }
            // A tombstone says that no more statistics of a message will follow. It does not take back the
            // earlier ones, so the board keeps them.
            guard record.valueByteCount != nil else { return }
            do {
                self.board.take(try Self.statistics(record.copy()))
            } catch {
                unreadable += 1
            }
        } _: { error in
            // A request to the cluster shows at once whether the cluster is away or only one of many
            // connections was closed.
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

    /// Reports that the reading is live, once every partition has been read to its end.
    private func becomeLiveAtTheEnd() {
        guard !self.isLive, !self.next.isEmpty, self.log.ends.allSatisfy({ $0 != nil }) else { return }
        self.isLive = true
        self.standing.became(.live)
    }

    // MARK: Questions

    /// Sends the request that is due: a count of the partitions, or else a question for their bounds. If the
    /// cluster is silent, the answer shows whether it is away or has nothing to send.
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

    /// Starts to read if the topic has partitions, and adds partitions that are new. Known partitions go on
    /// where they are; new ones begin at most `history` offsets before their end.
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
        try self.log.start(at: positions, atMost: Self.patience)
        self.next = self.log.partitions.map { positions[$0] ?? 0 }
        self.isLive = false
        self.standing.became(.catchingUp(atMost: records))
    }
}
