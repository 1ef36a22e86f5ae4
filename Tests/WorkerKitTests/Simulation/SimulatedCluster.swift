import Kafka
import Records
import WorkerKit

/// A Kafka cluster with one input topic and one consumer group, as far as an engine can tell; and the judge of
/// what engines do to it. What breaks a promise ends up in `violations`.
final class SimulatedCluster {
    /// What becomes of a record that is sent.
    enum ProduceFate {
        case acknowledged(after: Duration)
        /// The report says that it failed. It may have been written all the same.
        case failed(KafkaError, after: Duration, isWritten: Bool)
        /// It is not even queued.
        case refused(KafkaError)
    }

    enum CommitFate {
        case acknowledged(after: Duration)
        case failed(KafkaError, after: Duration, isStored: Bool)
        case refused(KafkaError)
    }

    /// One partition of the input topic.
    struct Log {
        var records: [InboundRecord] = []
        /// Counts how often the topic was made anew.
        var incarnation = 0
        /// The offset that the next record gets.
        var end: Int64 = 0

        /// Where the records from this offset on begin.
        func index(of offset: Int64) -> Int {
            var (low, high) = (0, self.records.count)
            while low < high {
                let middle = (low + high) / 2
                if self.records[middle].offset < offset { low = middle + 1 } else { high = middle }
            }
            return low
        }
    }

    struct RecordName: Hashable {
        var partition: Int32
        var offset: Int64
    }

    static let topic = "work"

    let clock: SimulatedClock
    private(set) var logs: [Log]
    var stored: [TopicPartition: CommittedPosition] = [:]
    private(set) var published: [OutboundRecord] = []
    /// Records of the current incarnations of the logs that have an outcome.
    private(set) var outcomes: [RecordName: [SimulatedOutcome]] = [:]
    private(set) var letters: [String: OutboundRecord] = [:]
    var violations: [String] = []

    var produceFate: (OutboundRecord) -> ProduceFate = { _ in .acknowledged(after: .milliseconds(2)) }
    var commitFate: ([CommittedPosition]) -> CommitFate = { _ in .acknowledged(after: .milliseconds(2)) }
    var committedFate: () -> KafkaError? = { nil }
    private(set) var commits = 0

    var members: [SimulatedBroker] = []
    private(set) var generation = 0

    init(clock: SimulatedClock, partitions: Int) {
        self.clock = clock
        self.logs = [Log](repeating: Log(), count: partitions)
    }

    // MARK: the input topic

    @discardableResult
    func append(
        _ value: String,
        key: String? = nil,
        to partition: Int32 = 0,
        timestamp: Int64? = nil,
        headers: [RecordHeader] = [],
        skipping gap: Int64 = 0
    ) -> Int64 {
        let index = Int(partition)
        let offset = self.logs[index].end + gap
        self.logs[index].records.append(
            InboundRecord(
                topic: Self.topic,
                partition: partition,
                offset: offset,
                timestamp: timestamp ?? self.clock.now.wall,
                key: key.map { Array($0.utf8) },
                value: Array(value.utf8),
                headers: headers
            )
        )
        self.logs[index].end = offset + 1
        for member in self.members { member.recordsArrived(in: partition) }
        return offset
    }

    /// Deletes the topic and makes it again, empty; what the group has committed stays.
    func makeAnew() {
        for index in self.logs.indices {
            self.logs[index] = Log(incarnation: self.logs[index].incarnation + 1)
        }
        self.outcomes = [:]
    }

    // MARK: the outputs

    /// Writes a record, and judges whether it may be there already.
    func write(_ record: OutboundRecord) {
        self.published.append(record)
        if record.topic == Self.topic + ".dead-letter" {
            guard let id = record.headers.first(where: { $0.name == "dlq.id" })?.value else { return }
            self.letters[String(decoding: id, as: UTF8.self)] = record
        } else if let outcome = SimulatedOutcome(record) {
            self.outcomes[RecordName(partition: outcome.partition, offset: outcome.offset), default: []]
                .append(outcome)
        } else {
            self.violations.append("somebody wrote to \(record.topic)")
        }
    }

    /// An outcome that names a dead letter may only be sent when the broker has that.
    func judgeSend(_ record: OutboundRecord) {
        guard let outcome = SimulatedOutcome(record), outcome.fate == "dead_lettered" else { return }
        if self.letters[outcome.deadLetterID] == nil {
            self.violations.append("\(outcome.id) was sent before its dead letter was written")
        }
    }

    func outcome(_ offset: Int64, in partition: Int32 = 0) -> SimulatedOutcome? {
        self.outcomes[RecordName(partition: partition, offset: offset)]?.last
    }

    func fates(in partition: Int32 = 0) -> [String?] {
        self.logs[Int(partition)].records.map { self.outcome($0.offset, in: partition)?.fate }
    }

    var isEverythingSettled: Bool { self.outcomes.count == self.logs.reduce(0) { $0 + $1.records.count } }

    // MARK: commits

    func store(_ positions: [CommittedPosition], by member: SimulatedBroker) {
        self.commits += 1
        for position in positions {
            guard member.owned.contains(position.partition) else {
                self.violations.append("commit of \(position.partition), which is not owned")
                continue
            }
            self.judge(position)
            self.stored[position.partition] = position
        }
    }

    private func judge(_ position: CommittedPosition) {
        let partition = position.partition.partition
        let offset = position.offset ?? 0
        let log = self.logs[Int(partition)]
        // What lies before an earlier commit has been judged with that.
        let judged = min(self.stored[position.partition]?.offset ?? 0, offset)
        for record in log.records[log.index(of: judged)..<log.index(of: offset)] {
            if self.outcome(record.offset, in: partition) == nil {
                self.violations.append("\(position.partition) committed at \(offset), past \(record.offset)")
            }
        }
        if position.metadata.utf8.count > 4_096 { self.violations.append("metadata too long") }
        guard let finished = ProgressMetadata.decode(position.metadata, from: offset) else {
            return self.violations.append("metadata that nobody can read: \(position.metadata)")
        }
        for beyond in finished where self.outcome(beyond, in: partition) == nil {
            let index = log.index(of: beyond)
            guard index < log.records.count, log.records[index].offset == beyond else { continue }
            self.violations.append("\(position.partition) remembers \(beyond) as finished")
        }
    }

    func committedOffset(_ partition: Int32 = 0) -> Int64? {
        self.stored[TopicPartition(topic: Self.topic, partition: partition)]?.offset
    }

    var isEverythingCommitted: Bool {
        self.logs.indices.allSatisfy { index in
            self.logs[index].records.isEmpty || self.committedOffset(Int32(index)) == self.logs[index].end
        }
    }

    // MARK: the group

    func join(_ member: SimulatedBroker) {
        self.members.append(member)
        self.rebalance()
    }

    /// Asks every member for its partitions; they are dealt out anew when the last has answered.
    func rebalance() {
        for member in self.members { member.askForPartitions(isLost: false) }
        self.dealIfAllAnswered()
    }

    /// A member is gone without a word, or has said goodbye.
    func remove(_ member: SimulatedBroker) {
        self.members.removeAll { $0 === member }
        self.rebalance()
    }

    /// The group has taken a member for dead, and the member finds out.
    func expel(_ member: SimulatedBroker) {
        member.askForPartitions(isLost: true)
        self.rebalance()
    }

    func dealIfAllAnswered() {
        guard !self.members.isEmpty, self.members.allSatisfy({ $0.canBeDealtTo }) else { return }
        self.generation += 1
        var hands = [[TopicPartition]](repeating: [], count: self.members.count)
        for index in self.logs.indices {
            let hand = (index + self.generation) % hands.count
            hands[hand].append(TopicPartition(topic: Self.topic, partition: Int32(index)))
        }
        for (member, hand) in zip(self.members, hands) { member.deal(hand) }
    }
}
