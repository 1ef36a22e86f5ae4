import EventThread
import Kafka
import Records
import Testing

/// A group member with what it has been told, driven by the test's own thread.
final class Member {
    let consumer: Consumer
    /// The bound of every reader.
    var bound = Int64.max
    private(set) var readers: [PartitionReader] = []
    private(set) var records: [InboundRecord] = []
    private(set) var revocations = 0
    private(set) var commits: [UInt64: KafkaError?] = [:]
    private(set) var failures: [KafkaError] = []

    init(_ cluster: MockCluster, group: String, _ more: [String: String] = [:]) throws {
        let properties = [
            "bootstrap.servers": cluster.bootstrapServers, "group.id": group, "fetch.wait.max.ms": "5",
            "auto.offset.reset": "earliest", "session.timeout.ms": "6000", "heartbeat.interval.ms": "200",
        ]
        self.consumer = try Consumer(properties.merging(more) { $1 })
    }

    /// Where the records stood that it has read, each once: a member that has rejoined reads what was not committed again.
    var positions: Set<Position> { Set(self.records.map { Position($0.partition, $0.offset) }) }

    var partitions: [Int32] { self.readers.map(\.partition.partition).sorted() }

    /// Takes note of what happened, and answers rebalances as a worker would.
    func serve(readingOnly wanted: Set<Int32>? = nil) throws {
        var events: [ConsumerEvent] = []
        self.consumer.serve { events.append($0) }
        for event in events {
            switch event {
            case .assigned(let partitions):
                let committed = try self.consumer.committed(partitions, atMost: .seconds(10))
                self.readers = try self.consumer.assign(committed, atMost: .seconds(10))
                for reader in self.readers { reader.bound = self.bound }
            case .revoked:
                self.revocations += 1
                self.readers = []
                try self.consumer.unassign()
            case .committed(let id, let error): self.commits[id] = .some(error)
            case .failed(let error): self.failures.append(error)
            case .logged: break
            }
        }
        for reader in self.readers where wanted?.contains(reader.partition.partition) ?? true {
            _ = reader.read(atMost: 1_000) {
                self.records.append($0)
            } _: {
                self.failures.append($0)
            }
        }
    }
}

/// Where a record stands in the topic of a test.
struct Position: Hashable {
    var partition: Int32
    var offset: Int64

    init(_ partition: Int32, _ offset: Int64) {
        self.partition = partition
        self.offset = offset
    }
}

/// Serves these members until something holds.
///
/// - Returns: whether it held before the time was up.
func serve(
    _ members: Member...,
    atMost longest: Duration = .seconds(30),
    until holds: () -> Bool
) throws -> Bool {
    let deadline = ContinuousClock.now + longest
    var wait = Wait(on: members.map(\.consumer.descriptor))
    while true {
        for member in members { try member.serve() }
        if holds() { return true }
        guard ContinuousClock.now < deadline else { return false }
        wait(atMost: .milliseconds(100))
    }
}

/// Waits for delivery reports until there are so many.
func reports(
    of producer: Producer,
    _ count: Int,
    atMost longest: Duration = .seconds(30)
) -> [UInt64: KafkaError?] {
    let deadline = ContinuousClock.now + longest
    var reports: [UInt64: KafkaError?] = [:]
    var wait = Wait(on: [producer.descriptor])
    while reports.count < count, ContinuousClock.now < deadline {
        producer.serve { event in
            guard case .reported(let id, let error) = event else { return }
            #expect(reports.updateValue(error, forKey: id) == nil, "a second report for \(id)")
        }
        if reports.count < count { wait(atMost: .milliseconds(100)) }
    }
    return reports
}

func publish(_ records: [OutboundRecord], to cluster: MockCluster) throws {
    let producer = try Producer(["bootstrap.servers": cluster.bootstrapServers, "linger.ms": "1"])
    for (index, record) in records.enumerated() { try producer.send(record, id: UInt64(index)) }
    let reports = reports(of: producer, records.count)
    try #require(reports.count == records.count)
    try #require(reports.values.allSatisfy { $0 == nil })
}
