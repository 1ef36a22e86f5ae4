import Kafka
import Records
import ServiceKit
import StreamKit
import WireFormats

/// Counts the items of each group in one partition of the input, each item once.
///
/// The task writes its state to a changelog, and reports a group to other tasks when the report is due. The
/// fields call a report a telling.
final class CountingTask: StreamTask {
    static let changelog = "work.changelog"
    /// The bytes of memory that an item takes until it has been reported.
    static let itemBytes = 100

    /// The state of one group, as the task holds it and as the changelog records it.
    struct Group: Hashable {
        var version = 0
        var items: Set<String> = []
        /// The number of reports so far.
        var tellings = 0
        /// The number of items in the last report.
        var toldItems = 0

        var encoded: [UInt8] {
            let items = self.items.sorted().joined(separator: ",")
            return Array("\(self.version)|\(self.tellings)|\(self.toldItems)|\(items)".utf8)
        }

        init() {}

        init?(_ value: [UInt8]?) {
            let fields = String(decoding: value ?? [], as: UTF8.self)
                .split(separator: "|", omittingEmptySubsequences: false)
            guard fields.count == 4, let version = Int(fields[0]), let tellings = Int(fields[1]),
                let toldItems = Int(fields[2])
            else { return nil }
            self.version = version
            self.tellings = tellings
            self.toldItems = toldItems
            self.items = Set(fields[3].split(separator: ",").map(String.init))
        }
    }

    private let partition: Int32
    /// The number of partitions that have a changelog. A task of another partition sends its records on to
    /// one of these.
    private let homes: Int32
    private let pace: Duration
    /// The headers of the records of the changelog.
    private let headers: [RecordHeader]
    private let messageLimit: Int
    private let watch: StreamWatch
    private(set) var groups: [String: Group] = [:]
    private var dirty: Set<String> = []
    private var dues: [String: Int64] = [:]
    /// The invented names. They exist in memory only and are never removed.
    private var strangers: Set<String> = []

    init(_ partition: Int32, of setup: StreamSetup, _ watch: StreamWatch) {
        self.partition = partition
        self.homes = Int32(setup.partitions)
        self.headers = setup.spread.map { [$0.recordHeader] } ?? []
        self.pace = setup.pace
        self.messageLimit = setup.messageLimit ?? .max
        self.watch = watch
    }

    static let origin = "origin"

    // MARK: - State

    var memory: StreamMemory {
        guard self.partition < self.homes else { return .none }
        return .changelog(TopicPartition(topic: Self.changelog, partition: self.partition))
    }

    func restore(_ record: InboundRecord, at now: Moment) {
        guard let group = Group(record.value) else {
            return self.watch.complain("\(record.place) is no group")
        }
        let name = String(decoding: record.key ?? [], as: UTF8.self)
        if group.version <= self.groups[name]?.version ?? 0 {
            self.watch.complain("\(record.place) is read back out of order")
        }
        self.groups[name] = group
    }

    func restored(at now: Moment) {
        for (name, group) in self.groups where group.items.count > group.toldItems { self.tell(name, now) }
    }

    private func tell(_ name: String, _ now: Moment) {
        if self.dues[name] == nil { self.dues[name] = now.wall + self.pace.wholeMilliseconds }
    }

    var nextDue: Int64? { self.dues.values.min() }

    var byteCount: Int {
        let untold = self.groups.values.reduce(0) { $0 + $1.items.count - $1.toldItems }
        return Self.itemBytes * (untold + self.strangers.count)
    }

    // MARK: - Work

    func process(_ record: consuming InboundRecord, at now: Moment, _ output: StreamOutput) {
        let held = self.groups.values.reduce(0) { $0 + $1.items.count }
        self.watch.willProcess(record, holding: held, at: now)
        switch CountedEvent(record) {
        case .item(let item, let group):
            if self.partition < self.homes {
                let isFirst = self.count(item, of: group, now)
                self.settle(record, isFirst ? "first" : "repeat", at: now, to: output)
            } else {
                self.sendHome(record, output)
                self.settle(record, "moved", at: now, to: output)
            }
        case .stranger(let name):
            // A name that is known already takes no more memory.
            guard self.strangers.contains(name) || !output.isCrowded else {
                return self.settle(record, .rejected, because: "too_many", at: now, to: output)
            }
            self.strangers.insert(name)
            self.settle(record, "stranger", at: now, to: output)
        case .undecodable: self.bury(record, "undecodable", at: now, to: output)
        case .refused: self.settle(record, .rejected, because: "refused", at: now, to: output)
        case .deadly: self.watch.die()
        }
    }

    /// Adds an item to its group.
    ///
    /// - Returns: whether the item is new.
    private func count(_ item: String, of group: String, _ now: Moment) -> Bool {
        guard self.groups[group, default: Group()].items.insert(item).inserted else { return false }
        self.dirty.insert(group)
        self.tell(group, now)
        return true
    }

    private func sendHome(_ record: borrowing InboundRecord, _ output: StreamOutput) {
        output.send(
            OutboundRecord(
                topic: record.topic,
                key: record.key,
                value: record.value,
                headers: [RecordHeader(Self.origin, "\(record.partition)/\(record.offset)")],
                partition: record.partition % self.homes
            )
        )
    }

    func bury(_ record: consuming InboundRecord, at now: Moment, _ output: StreamOutput) {
        self.watch.buried.append(record.offset)
        if CountedEvent(record) == .deadly {
            self.bury(record, "crash_loop", at: now, to: output)
        } else {
            self.process(record, at: now, output)
        }
    }

    private func bury(
        _ record: borrowing InboundRecord,
        _ reason: String,
        at now: Moment,
        to output: StreamOutput
    ) {
        let id = record.place
        output.send(OutboundRecord(topic: "work.dead-letter", headers: [RecordHeader("dlq.id", id)]))
        self.settle(record, .deadLettered, because: reason, letter: id, at: now, to: output)
    }

    private func settle(
        _ record: borrowing InboundRecord,
        _ answer: String,
        at now: Moment,
        to output: StreamOutput
    ) { self.settle(record, .succeeded, because: nil, answer: answer, at: now, to: output) }

    private func settle(
        _ record: borrowing InboundRecord,
        _ fate: Outcome.Fate,
        because reason: String?,
        letter: String? = nil,
        answer: String = "",
        at now: Moment,
        to output: StreamOutput
    ) {
        let outcome = Outcome(
            topic: record.topic,
            partition: record.partition,
            offset: record.offset,
            fate: fate,
            reason: reason.map { Reason($0, "No.") },
            attempts: 0,
            deadLetterID: letter,
            receivedAt: now.wall,
            settledAt: now.wall,
            worker: "simulated",
            workerVersion: "1"
        )
        var result = OutboundRecord(
            topic: "work.result",
            key: record.key,
            value: SimulatedOutcome(outcome, answer).encoded
        )
        result.omitKey(beyond: self.messageLimit)
        output.send(result)
    }

    func collect(at now: Moment, progress: Int64, _ output: StreamOutput) {
        for name in self.dues.filter({ $0.value <= now.wall }).keys.sorted() {
            self.dues[name] = nil
            guard var group = self.groups[name] else { continue }
            group.tellings += 1
            group.toldItems = group.items.count
            output.send(Part(self.partition, name, group: group).record)
            self.groups[name] = group
            self.dirty.insert(name)
        }
        for name in self.dirty.sorted() {
            self.groups[name]?.version += 1
            guard let group = self.groups[name] else { continue }
            output.send(
                OutboundRecord(
                    topic: Self.changelog,
                    key: Array(name.utf8),
                    value: group.encoded,
                    headers: self.headers,
                    partition: self.partition
                )
            )
        }
        self.dirty = []
    }
}

/// The report of one partition on one group.
struct Part: Hashable {
    static let topic = "work.parts"

    var source: Int32
    var group: String
    var tellings: Int
    var items: Int

    init(_ source: Int32, _ name: String, group: CountingTask.Group) {
        self.source = source
        self.group = name
        self.tellings = group.tellings
        self.items = group.toldItems
    }

    init?(key: [UInt8]?, value: [UInt8]?) {
        let fields = String(decoding: value ?? [], as: UTF8.self).split(separator: "|")
        guard fields.count == 3, let source = Int32(fields[0]), let tellings = Int(fields[1]),
            let items = Int(fields[2])
        else { return nil }
        self.source = source
        self.group = String(decoding: key ?? [], as: UTF8.self)
        self.tellings = tellings
        self.items = items
    }

    /// The record of the report. All reports go to partition 0, so that the reports on a group meet in one
    /// task.
    var record: OutboundRecord {
        OutboundRecord(
            topic: Self.topic,
            key: Array(self.group.utf8),
            value: Array("\(self.source)|\(self.tellings)|\(self.items)".utf8),
            partition: 0
        )
    }
}
