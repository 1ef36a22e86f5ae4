package import Kafka
package import Records
import ServiceKit
import WireFormats
import WorkerKit

/// A Kafka cluster with one input topic, its retry topics and one consumer group, as far as an engine can
/// tell.
///
/// It also judges what engines do. Each broken promise is added to `violations`.
package final class SimulatedCluster {
    /// The result of sending a record.
    package enum ProduceFate {
        /// The record is written, and its report arrives after this time.
        case acknowledged(after: Duration)
        /// The report says that sending failed. The record may have been written all the same.
        case failed(KafkaError, after: Duration, isWritten: Bool)
        /// The client refuses the record and does not queue it.
        case refused(KafkaError)
    }

    /// The result of a commit.
    package enum CommitFate {
        /// The commit is stored, and its answer arrives after this time.
        case acknowledged(after: Duration)
        /// The answer is an error. The commit may have been stored all the same.
        case failed(KafkaError, after: Duration, isStored: Bool)
        /// The client refuses the commit and does not send it.
        case refused(KafkaError)
    }

    /// One partition of a topic that the group consumes.
    struct Log {
        var records: [InboundRecord] = []
        /// The number of times that the topic was deleted and made again.
        var incarnation = 0
        /// The offset that the next record gets.
        var end: Int64 = 0

        /// Returns the index of the first record at or after an offset.
        func index(of offset: Int64) -> Int {
            var (low, high) = (0, self.records.count)
            while low < high {
                let middle = (low + high) / 2
                if self.records[middle].offset < offset { low = middle + 1 } else { high = middle }
            }
            return low
        }
    }

    /// The partition and the offset at which a record of the input was published.
    package struct RecordName: Hashable {
        package var partition: Int32
        package var offset: Int64

        /// Names the record at an offset of the input topic.
        package init(partition: Int32, offset: Int64) {
            self.partition = partition
            self.offset = offset
        }
    }

    /// The input topic.
    package static let topic = "work"
    static let parkingTopic = topic + ".parked"

    /// The id that the cluster reports. Changing it makes this another cluster with the same topics and
    /// commits.
    package var id = "simulated"

    /// The clock of the brokers.
    package let clock: SimulatedClock
    var narrator: Narrator?
    /// Requests on their way to the brokers. They take effect there even if their sender dies.
    var network = DueQueue<() -> Void>()
    let transactions: SimulatedTransactions
    var logs: [TopicPartition: Log] = [:]
    /// The topics of stream engines, which have readers besides the group; nil for engines of calls.
    var streams: StreamTopics?
    /// The topic of parked records; nil if workers cannot park.
    private(set) var parking: StreamTopics?
    let retryTopics: [String]
    /// The number of partitions of the input topic, and of each retry topic.
    package private(set) var partitions: Int
    private struct KeyName: Hashable {
        var partition: Int32
        var key: [UInt8]
    }

    /// The offsets of the input's records, by their partition and key.
    private var mates: [KeyName: [Int64]] = [:]
    /// The number of records that were appended to the input since it was last made again, except those that
    /// were cut off.
    private var inputCount = 0
    /// The positions that the group has committed.
    package var stored: [TopicPartition: CommittedPosition] = [:]
    /// The offsets that the last commit of each partition reported as finished beyond its position. They were
    /// checked then.
    private var rememberedAsFinished: [TopicPartition: [Int64]] = [:]
    /// All records that readers can see in any output topic, in the order in which they became visible.
    package private(set) var published: [OutboundRecord] = []
    /// The outcomes of the input's records since the topic was last made again.
    package private(set) var outcomes: [RecordName: [SimulatedOutcome]] = [:]
    /// The dead letters that readers can see, by their id.
    package private(set) var letters: [String: OutboundRecord] = [:]
    /// The places, as `topic/partition/offset`, of records that were copied to a retry topic.
    private var forwarded: Set<String> = []
    /// The partitions that contain copies of a record, and the wall-clock time from which the newest copy may
    /// be called for.
    private var copies: [RecordName: (places: Set<TopicPartition>, due: Int64)] = [:]
    /// The topics to which handlers send records of their own.
    package var channelTopics: Set<String> = []
    /// The number of records that readers of these topics can see, by the input record that they come from.
    package private(set) var channelCounts: [String: Int] = [:]
    /// A description of each broken promise.
    package var violations: [String] = [] {
        didSet { for one in self.violations.dropFirst(oldValue.count) { self.narrator?.tell("judge", one) } }
    }
    /// The time after its publication in which a record may be called for.
    var deadline = Duration.seconds(0)
    /// Whether a second outcome for a record breaks a promise.
    package var isExactlyOnce = false

    /// The size in bytes of the largest encoded record that the brokers accept; nil for no limit.
    package var messageLimit: Int?
    /// Decides what becomes of each record that is sent.
    package var produceFate: (OutboundRecord) -> ProduceFate = { _ in .acknowledged(after: .milliseconds(2)) }

    func fate(of record: OutboundRecord) -> ProduceFate {
        let place = TopicPartition(topic: record.topic, partition: record.partition ?? 0)
        if self.streams?.exists(place) == false { return .refused(.unknownPartition) }
        guard let limit = self.messageLimit, record.encodedBytesBound > limit else {
            return self.produceFate(record)
        }
        return .failed(.messageTooLarge, after: .milliseconds(2), isWritten: false)
    }

    /// Decides what becomes of each commit outside transactions.
    package var commitFate: ([CommittedPosition]) -> CommitFate = { _ in
        .acknowledged(after: .milliseconds(2))
    }
    /// Decides whether reading the committed positions fails.
    package var committedFate: () -> KafkaError? = { nil }
    /// Decides what becomes of each commit of a transaction.
    package var transactionFate: ([CommittedPosition]) -> TransactionFate = { _ in
        .committed(after: .milliseconds(6))
    }
    /// Decides whether a request to open or to abort a transaction fails; nil is success.
    package var openFate: () -> KafkaError? = { nil }
    /// The number of commits that were stored.
    package internal(set) var commits = 0

    /// The members of the group that have neither left nor been removed.
    package internal(set) var members: [SimulatedBroker] = []
    private(set) var generation = 0

    init(clock: SimulatedClock, partitions: Int, retryTopics: [String]) {
        self.clock = clock
        self.partitions = partitions
        self.retryTopics = retryTopics
        self.transactions = SimulatedTransactions()
        for topic in [Self.topic] + retryTopics {
            for partition in 0..<Int32(partitions) {
                self.logs[TopicPartition(topic: topic, partition: partition)] = Log()
            }
        }
        self.transactions.apply = { [unowned self] records, positions in
            self.narrator?.tell("cluster", "shows \(records.map(\.summary).joined(separator: ", "))")
            for record in records { self.write(record) }
            self.streams?.judge(records, positions)
            for position in positions { self.judge(position) }
            for position in positions { self.stored[position.partition] = position }
            self.commits += 1
        }
        self.transactions.began = { [unowned self] id, transaction in
            let end = self.clock.now.after(Self.transactionTimeout)
            self.network.add(
                { [unowned self] in self.transactions.expire(id, transaction: transaction) },
                due: end
            )
        }
    }

    /// Drops all requests that are under way and all members. They refer to the cluster and would keep it
    /// alive after its simulation.
    func end() {
        self.network = DueQueue()
        self.members = []
    }

    /// Makes the topic in which workers can park records.
    func makeParkingTopic() {
        self.parking = StreamTopics([Self.parkingTopic], consumed: [], in: self)
    }

    private static let transactionTimeout = Duration.seconds(15)

    var retryPartitions: [String: Int] {
        Dictionary(uniqueKeysWithValues: self.retryTopics.map { ($0, self.partitions) })
    }

    private func input(_ partition: Int32) -> TopicPartition {
        TopicPartition(topic: Self.topic, partition: partition)
    }

    // MARK: the input topic

    /// The records of the input topic, partition by partition.
    package var inputs: [InboundRecord] {
        (0..<Int32(self.partitions)).flatMap { self.logs[self.input($0)]?.records ?? [] }
    }

    /// Publishes a record to the input topic.
    ///
    /// - Parameters:
    ///   - timestamp: in milliseconds since 1970; nil for the brokers' present time.
    ///   - gap: the number of offsets to leave without a record before it.
    /// - Returns: the offset of the record.
    @discardableResult
    package func append(
        _ value: String?,
        key: String? = nil,
        to partition: Int32 = 0,
        timestamp: Int64? = nil,
        headers: [RecordHeader] = [],
        skipping gap: Int64 = 0
    ) -> Int64 {
        self.append(
            InboundRecord(
                topic: Self.topic,
                partition: partition,
                offset: (self.logs[self.input(partition)]?.end ?? 0) + gap,
                timestamp: timestamp ?? self.clock.now.wall,
                key: key.map { Array($0.utf8) },
                value: value.map { Array($0.utf8) },
                headers: headers
            )
        )
    }

    @discardableResult
    func append(_ record: InboundRecord) -> Int64 {
        let partition = TopicPartition(topic: record.topic, partition: record.partition)
        self.logs[partition]?.records.append(record)
        self.logs[partition]?.end = record.offset + 1
        if record.topic == Self.topic {
            self.inputCount += 1
            if let key = record.key {
                self.mates[KeyName(partition: record.partition, key: key), default: []].append(record.offset)
            }
        }
        for member in self.members { member.recordsArrived(in: partition) }
        return record.offset
    }

    /// Appends an offset without a record, as Kafka's transaction markers are.
    package func appendMarker(to partition: Int32 = 0) {
        let partition = self.input(partition)
        self.logs[partition]?.end += 1
        for member in self.members { member.recordsArrived(in: partition) }
    }

    /// Moves the end of a partition past offsets without records, such as transaction markers, so that
    /// readers can pass them.
    func moveEnd(of partition: TopicPartition, to end: Int64) {
        guard let log = self.logs[partition], log.end < end else { return }
        self.logs[partition]?.end = end
        for member in self.members { member.recordsArrived(in: partition) }
    }

    /// Deletes the input topic and makes it again without records. The group's committed positions stay.
    package func makeAnew() {
        for partition in 0..<Int32(self.partitions) {
            let incarnation = self.logs[self.input(partition)]?.incarnation ?? 0
            self.logs[self.input(partition)] = Log(incarnation: incarnation + 1)
        }
        self.outcomes = [:]
        self.rememberedAsFinished = [:]
        self.tickets = []
        self.skipped = []
        self.mates = [:]
        self.inputCount = 0
    }

    /// Deletes the records of a partition of the input before an offset, as retention does.
    package func removeRecords(before offset: Int64, in partition: Int32 = 0) {
        guard let log = self.logs[self.input(partition)] else { return }
        self.logs[self.input(partition)]?.records.removeSubrange(..<log.index(of: offset))
    }

    /// Deletes the newest records of a partition of the input, from offset `end` on, as an unclean leader
    /// election does.
    package func cutOff(_ partition: Int32 = 0, at end: Int64) {
        guard let log = self.logs[self.input(partition)], end < log.end else { return }
        let kept = log.index(of: end)
        for record in log.records[kept...] {
            self.outcomes[RecordName(partition: partition, offset: record.offset)] = nil
            self.inputCount -= 1
        }
        self.logs[self.input(partition)]?.records.removeSubrange(kept...)
        self.logs[self.input(partition)]?.end = end
    }

    /// Adds a partition to the input topic, as an operator does. The group then assigns all partitions anew.
    package func grow() {
        self.logs[self.input(Int32(self.partitions))] = Log()
        self.partitions += 1
        self.rebalance()
    }

    // MARK: the outputs

    /// Makes a record visible to every reader, and checks that it may be visible.
    func write(_ record: OutboundRecord) {
        self.published.append(record)
        if self.streams?.names.contains(record.topic) == true { return }
        if record.topic == Self.topic + ".dead-letter" {
            guard let id = record.headers.first(where: { $0.name == "dlq.id" })?.value else { return }
            self.letters[String(decoding: id, as: UTF8.self)] = record
        } else if self.retryTopics.contains(record.topic) {
            self.writeToRetryTopic(record)
        } else if record.topic == Self.parkingTopic, self.parking != nil {
            self.ticketSeen(record)
        } else if self.channelTopics.contains(record.topic) {
            let origin = record.headers.last { $0.name == OutboundRecord.channelOriginHeader }?.value ?? []
            self.channelCounts[String(decoding: origin, as: UTF8.self), default: 0] += 1
        } else if let outcome = SimulatedOutcome(record) {
            let name = RecordName(partition: outcome.partition, offset: outcome.offset)
            if self.outcomes[name] == nil { self.judgeOrder(of: outcome) }
            self.judgeExpiry(of: outcome)
            self.outcomes[name, default: []].append(outcome)
            self.skipped.remove(name)
            self.outcomeSeen(outcome)
            if self.isExactlyOnce, self.outcomes[name]?.count ?? 0 > 1 {
                self.violations.append("\(outcome.id) has two outcomes that are to be seen")
            }
        } else if self.streams != nil, record.topic == Self.topic {
            self.append(
                record.value.map { String(decoding: $0, as: UTF8.self) },
                key: record.key.map { String(decoding: $0, as: UTF8.self) },
                to: record.partition ?? 0,
                headers: record.headers
            )
        } else {
            self.violations.append("somebody wrote to \(record.topic)")
        }
    }

    /// Called for each outcome when a reader can see it.
    var outcomeSeen: (SimulatedOutcome) -> Void = { _ in }

    /// The order in which records must be settled.
    var ordering = EngineSettings.Ordering.none

    /// Returns the offsets of the input's records that must be settled before this one.
    func predecessors(of offset: Int64, in partition: Int32) -> [Int64] {
        guard self.ordering != .none, let log = self.logs[self.input(partition)] else { return [] }
        let index = log.index(of: offset)
        guard index < log.records.count, log.records[index].offset == offset else { return [] }
        let all: [Int64]
        if self.ordering == .partition {
            all = log.records[..<index].map(\.offset)
        } else {
            guard let key = log.records[index].key else { return [] }
            all = (self.mates[KeyName(partition: partition, key: key)] ?? []).filter { $0 < offset }
        }
        guard !self.skipped.isEmpty else { return all }
        return all.filter { !self.skipped.contains(RecordName(partition: partition, offset: $0)) }
    }

    /// Checks that every earlier record of the same order has an outcome before readers see the first outcome
    /// of this record.
    private func judgeOrder(of outcome: SimulatedOutcome) {
        for earlier in self.predecessors(of: outcome.offset, in: outcome.partition) {
            let name = RecordName(partition: outcome.partition, offset: earlier)
            guard self.outcomes[name] == nil else { continue }
            self.violations.append("the outcome of \(outcome.id) is to be seen before that of \(earlier)")
        }
    }

    /// Returns the wall-clock time at which the deadline of a record of the input passes; nil if there is no
    /// such record.
    func deadline(_ offset: Int64, in partition: Int32) -> Int64? {
        guard let log = self.logs[self.input(partition)] else { return nil }
        let index = log.index(of: offset)
        guard index < log.records.count, log.records[index].offset == offset else { return nil }
        return log.records[index].timestamp.map { $0.addingClamped(self.deadline.wholeMilliseconds) }
    }

    private func judgeExpiry(of outcome: SimulatedOutcome) {
        guard outcome.fate == "expired", !self.clock.hasTimeBeenStepped else { return }
        guard let deadline = self.deadline(outcome.offset, in: outcome.partition) else { return }
        let early = deadline.addingClamped(-self.clock.now.wall)
        if early > 0 { self.violations.append("\(outcome.id) has expired \(early) ms early") }
    }

    /// The records that readers of the parking topic see as parked.
    package private(set) var tickets: Set<RecordName> = []

    private func ticketSeen(_ record: OutboundRecord) {
        let partition = record.partition ?? 0
        let place = PartitionMark(clusterID: self.id, self.input(partition))
        let inbound = InboundRecord(
            topic: record.topic,
            partition: partition,
            offset: 0,
            key: record.key,
            value: record.value
        )
        switch ParkingTicket.line(inbound, at: place) {
        case .ticket(let ticket): self.tickets.insert(RecordName(partition: partition, offset: ticket.offset))
        case .end(let offset):
            let name = RecordName(partition: partition, offset: offset)
            self.tickets.remove(name)
            let isForwarded = self.forwarded.contains("\(Self.topic)/\(partition)/\(offset)")
            if self.outcomes[name] == nil, !isForwarded {
                self.violations.append(
                    "the ticket of \(partition)/\(offset) is taken back before its outcome"
                )
            }
        case .otherPlace, .unreadable: self.violations.append("a ticket that nobody can read: \(record)")
        }
    }

    private func writeToRetryTopic(_ record: OutboundRecord) {
        let partition = TopicPartition(topic: record.topic, partition: record.partition ?? 0)
        guard let log = self.logs[partition] else {
            return self.violations.append("there is no \(partition)")
        }
        let ticket = RetryTicket(record.headers)
        if let ticket {
            let name = RecordName(partition: ticket.partition, offset: ticket.offset)
            self.forwarded.insert(ticket.from)
            self.copies[name, default: ([], 0)].places.insert(partition)
            self.copies[name]?.due = max(ticket.due, ticket.notBefore)
        } else {
            self.violations.append("a copy without a ticket in \(record.topic)")
        }
        self.append(
            InboundRecord(
                topic: record.topic,
                partition: partition.partition,
                offset: log.end,
                timestamp: self.clock.now.wall,
                key: record.key,
                value: record.value,
                headers: record.headers
            )
        )
    }

    /// Checks that the broker has stored a dead letter before an outcome that names it is sent.
    func judgeSend(_ record: OutboundRecord) {
        guard let outcome = SimulatedOutcome(record), outcome.fate == "dead_lettered" else { return }
        if self.letters[outcome.deadLetterID] == nil {
            self.violations.append("\(outcome.id) was sent before its dead letter was written")
        }
    }

    /// Returns the newest outcome of a record; nil if it has none.
    package func outcome(_ offset: Int64, in partition: Int32 = 0) -> SimulatedOutcome? {
        self.outcomes[RecordName(partition: partition, offset: offset)]?.last
    }

    /// Returns the fate of the newest outcome of each record of a partition, in the order of the offsets; nil
    /// where a record has none.
    package func fates(in partition: Int32 = 0) -> [String?] {
        (self.logs[self.input(partition)]?.records ?? []).map { self.outcome($0.offset, in: partition)?.fate }
    }

    /// A hash of everything that was published. Two runs with different hashes differ.
    var fingerprint: UInt64 {
        self.published.reduce(14_695_981_039_346_656_037) { sum, record in
            (record.value ?? []).reduce(sum) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 }
        }
    }

    /// Whether every record has its outcome and no record is parked.
    package var isEverythingSettled: Bool {
        self.outcomes.count + self.skipped.count == self.inputCount && self.tickets.isEmpty
    }

    /// The records without an outcome that the group was made to skip.
    package private(set) var skipped: Set<RecordName> = []

    /// Changes the committed position of a partition that no member has, as an operator or a mirror does.
    ///
    /// Records without an outcome between the old position and a higher new one count as skipped, unless they
    /// are parked.
    ///
    /// - Parameter metadata: the text that is stored with the offset. Nil keeps the text that is there, as
    ///   many tools do.
    package func moveGroup(in partition: Int32, to offset: Int64, metadata: String? = nil) {
        let place = self.input(partition)
        let earlier = self.stored[place]
        for record in self.logs[place]?.records ?? [] where record.offset < offset {
            let name = RecordName(partition: partition, offset: record.offset)
            guard self.outcomes[name] == nil, !self.tickets.contains(name) else { continue }
            if record.offset >= earlier?.offset ?? 0 { self.skipped.insert(name) }
        }
        self.stored[place] = CommittedPosition(
            partition: place,
            offset: offset,
            metadata: metadata ?? earlier?.metadata ?? ""
        )
    }

    /// Returns whether no worker has to read this record again, because it has an outcome, is parked, or was
    /// copied to a retry topic.
    private func isDone(_ record: InboundRecord) -> Bool {
        if let name = self.originName(of: record), self.outcomes[name] != nil || self.tickets.contains(name) {
            return true
        }
        return self.streams?.names.contains(record.topic) == true || self.forwarded.contains(record.place)
    }

    /// Returns the name under which the record was first published; nil if it is a copy without a readable
    /// ticket.
    func originName(of record: InboundRecord) -> RecordName? {
        guard record.topic != Self.topic else {
            return RecordName(partition: record.partition, offset: record.offset)
        }
        return RetryTicket(record.headers).map { RecordName(partition: $0.partition, offset: $0.offset) }
    }

    /// Returns the partitions from which the record of a call can have been read.
    func places(of call: SimulatedUpstream.Call) -> Set<TopicPartition> {
        let copies = self.copies[RecordName(partition: call.partition, offset: call.offset)]?.places ?? []
        return copies.union([self.input(call.partition)])
    }

    /// Returns the wall-clock time from which the newest copy of a record may be called for; nil if the
    /// record was never copied.
    func due(_ call: SimulatedUpstream.Call) -> Int64? {
        self.copies[RecordName(partition: call.partition, offset: call.offset)]?.due
    }

    // MARK: commits

    func store(_ positions: [CommittedPosition]) {
        self.commits += 1
        for position in positions {
            self.judge(position)
            self.stored[position.partition] = position
        }
    }

    private func judge(_ position: CommittedPosition) {
        let offset = position.offset ?? 0
        let log = self.logs[position.partition] ?? Log()
        // Records before an earlier commit were checked with that commit.
        let judged = min(self.stored[position.partition]?.offset ?? 0, offset)
        for record in log.records[log.index(of: judged)..<log.index(of: offset)] where !self.isDone(record) {
            self.violations.append("\(position.partition) committed at \(offset), past \(record.offset)")
        }
        // A stream engine stores text of its own there, which is not checked.
        guard self.streams == nil else { return }
        if position.metadata.utf8.count > 4_096 { self.violations.append("metadata too long") }
        let place = PartitionMark(clusterID: self.id, position.partition)
        guard let metadata = try? ProgressMetadata(position.metadata, at: place, from: offset) else {
            return self.violations.append("metadata that nobody can read: \(position.metadata)")
        }
        for beyond in self.newlyFinished(metadata.finished, in: position.partition) {
            let index = log.index(of: beyond)
            guard index < log.records.count, log.records[index].offset == beyond else { continue }
            guard !self.isDone(log.records[index]) else { continue }
            self.violations.append("\(position.partition) remembers \(beyond) as finished")
        }
    }

    /// Returns the offsets that the last commit of the partition did not report as finished. The offsets must
    /// be in ascending order.
    ///
    /// There can be thousands of them, and an offset that was finished at the last commit is still finished.
    private func newlyFinished(_ offsets: [Int64], in partition: TopicPartition) -> [Int64] {
        var known = (self.rememberedAsFinished[partition] ?? [])[...]
        self.rememberedAsFinished[partition] = offsets
        return offsets.filter { offset in
            while let first = known.first, first < offset { known.removeFirst() }
            return known.first != offset
        }
    }

    /// The committed offset of a partition of the input; nil if there is none.
    package func committedOffset(_ partition: Int32 = 0) -> Int64? {
        self.stored[self.input(partition)]?.offset
    }

    /// Returns the text that the group has stored with its committed offset.
    func committedText(_ partition: Int32) -> String { self.stored[self.input(partition)]?.metadata ?? "" }

    /// Returns the offset that the next record of a partition of the input gets.
    func end(of partition: Int32) -> Int64 { self.logs[self.input(partition)]?.end ?? 0 }

    /// Whether the group has committed every partition with records up to its end.
    package var isEverythingCommitted: Bool {
        self.logs.allSatisfy { partition, log in
            log.records.isEmpty || self.stored[partition]?.offset == log.end
        }
    }

    // MARK: the group

    func join(_ member: SimulatedBroker) {
        self.members.append(member)
        self.rebalance()
    }

    /// Asks every member for its partitions. They are assigned anew when the last member has answered.
    package func rebalance() {
        for member in self.members { member.askForPartitions(isLost: false) }
        self.dealIfAllAnswered()
    }

    /// Removes a member that has died or left.
    func remove(_ member: SimulatedBroker) {
        self.members.removeAll { $0 === member }
        self.rebalance()
    }

    /// Expels a member that the group treats as dead. The member learns of it.
    package func expel(_ member: SimulatedBroker) {
        member.askForPartitions(isLost: true)
        self.rebalance()
    }

    func dealIfAllAnswered() {
        guard !self.members.isEmpty, self.members.allSatisfy({ $0.canBeDealtTo }) else { return }
        self.generation += 1
        var hands = [[TopicPartition]](repeating: [], count: self.members.count)
        for (index, partition) in self.logs.keys.sorted().enumerated() {
            hands[(index + self.generation) % hands.count].append(partition)
        }
        for (member, hand) in zip(self.members, hands) { member.deal(hand, in: self.generation) }
    }
}
