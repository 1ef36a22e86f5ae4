import Kafka
import Records
import StreamKit
import WireFormats
import WorkerKit

/// Counts the items of each group in one partition of the input, each item once, writes down what it holds in a
/// changelog, and tells others of it when that is due.
final class CountingTask: StreamTask {
    static let changelog = "work.changelog"
    /// What an item takes in memory until others have been told of it.
    static let itemBytes = 100

    /// A group as it stands, and as the changelog has it.
    struct Group: Hashable {
        var version = 0
        var items: Set<String> = []
        /// How often others have been told, and of how many items.
        var tellings = 0
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
    private let pace: Duration
    private let watch: StreamWatch
    private(set) var groups: [String: Group] = [:]
    private var dirty: Set<String> = []
    private var dues: [String: Int64] = [:]

    init(_ partition: Int32, pace: Duration, _ watch: StreamWatch) {
        self.partition = partition
        self.pace = pace
        self.watch = watch
    }

    // MARK: - State

    var memory: StreamMemory {
        .changelog(TopicPartition(topic: Self.changelog, partition: self.partition))
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
        Self.itemBytes * self.groups.values.reduce(0) { $0 + $1.items.count - $1.toldItems }
    }

    // MARK: - Work

    func process(_ record: consuming InboundRecord, at now: Moment, _ output: StreamOutput) {
        let held = self.groups.values.reduce(0) { $0 + $1.items.count }
        self.watch.willProcess(record, holding: held, at: now)
        let name = String(decoding: record.key ?? [], as: UTF8.self)
        let item = String(decoding: record.value ?? [], as: UTF8.self)
        let isFirst = self.groups[name, default: Group()].items.insert(item).inserted
        if isFirst {
            self.dirty.insert(name)
            self.tell(name, now)
        }
        let outcome = Outcome(
            topic: record.topic,
            partition: record.partition,
            offset: record.offset,
            fate: .succeeded,
            reason: nil,
            attempts: 0,
            deadLetterID: nil,
            receivedAt: now.wall,
            settledAt: now.wall,
            worker: "simulated",
            workerVersion: "1"
        )
        output.send(
            OutboundRecord(
                topic: "work.result",
                key: record.key,
                value: SimulatedOutcome(outcome, isFirst ? "first" : "repeat").encoded
            )
        )
    }

    func collect(at now: Moment, progress: Int64, _ output: StreamOutput) {
        for name in self.dues.filter({ $0.value <= now.wall }).keys.sorted() {
            self.dues[name] = nil
            guard var group = self.groups[name] else { continue }
            group.tellings += 1
            group.toldItems = group.items.count
            output.send(Part(self.partition, name, group).record)
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
                    partition: self.partition
                )
            )
        }
        self.dirty = []
    }
}

/// What one partition tells of a group.
struct Part: Hashable {
    static let topic = "work.parts"

    var source: Int32
    var group: String
    var tellings: Int
    var items: Int

    init(_ source: Int32, _ name: String, _ group: CountingTask.Group) {
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

    /// All parts of a group meet in one partition: the first, as good as any.
    var record: OutboundRecord {
        OutboundRecord(
            topic: Self.topic,
            key: Array(self.group.utf8),
            value: Array("\(self.source)|\(self.tellings)|\(self.items)".utf8),
            partition: 0
        )
    }
}
