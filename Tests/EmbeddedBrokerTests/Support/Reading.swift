import Dispatch
import EmbeddedBroker
import EventThread
import Kafka
import Records
import Testing

/// Runs a body with a broker of its own, which is stopped however the body ends. The body has a thread of its own,
/// too: it waits, and Swift's few threads are needed for what it waits for.
func withBroker(
    _ settings: BrokerSettings = BrokerSettings(),
    topics: [String: Int] = [:],
    _ body: (EmbeddedBroker) async throws -> Void
) async throws {
    let broker = try await EmbeddedBroker.start(settings)
    do {
        for (name, partitions) in topics { try await broker.createTopic(name, partitions: partitions) }
        try await withTaskExecutorPreference(OwnThread()) { try await body(broker) }
    } catch {
        await broker.stop()
        throw error
    }
    await broker.stop()
}

/// Runs one test's task where it may wait as long as it likes.
private final class OwnThread: TaskExecutor {
    private let queue = DispatchQueue(label: "test")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        self.queue.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

/// Everything that is in a topic now, up to its end as such a reader sees it.
func contents(
    of topic: String,
    _ broker: EmbeddedBroker,
    _ isolation: String = "read_committed",
    atMost longest: Duration = .seconds(30)
) throws -> [InboundRecord] {
    let properties = [
        "bootstrap.servers": broker.address, "isolation.level": isolation, "fetch.wait.max.ms": "10",
        "check.crcs": "true",
    ]
    let reader = try TopicReader([topic], from: .beginning, properties, atMost: .seconds(10))
    let deadline = ContinuousClock.now + longest
    var wait = Wait(on: [reader.descriptor])
    var records: [InboundRecord] = []
    while !reader.isAtEnd, ContinuousClock.now < deadline {
        wait(atMost: .milliseconds(100))
        var isRead = false
        while !isRead {
            isRead =
                reader.read(atMost: 10_000) {
                    records.append($0)
                } _: {
                    Issue.record($0)
                } < 10_000
        }
    }
    try #require(reader.isAtEnd, "\(topic) has no end")
    return records
}

func values(of topic: String, _ broker: EmbeddedBroker, _ isolation: String = "read_committed") throws
    -> [String]
{
    try contents(of: topic, broker, isolation).map { String(decoding: $0.value ?? [], as: UTF8.self) }
}

/// Publishes records and waits for their reports.
func publish(
    _ records: [OutboundRecord],
    to broker: EmbeddedBroker,
    _ more: [String: String] = [:],
    atMost longest: Duration = .seconds(30)
) throws -> [KafkaError?] {
    let properties = ["bootstrap.servers": broker.address, "linger.ms": "1"].merging(more) { $1 }
    let producer = try Producer(properties)
    for (index, record) in records.enumerated() { try producer.send(record, id: UInt64(index)) }
    let deadline = ContinuousClock.now + longest
    var reports: [UInt64: KafkaError?] = [:]
    var wait = Wait(on: [producer.descriptor])
    while reports.count < records.count, ContinuousClock.now < deadline {
        wait(atMost: .milliseconds(100))
        producer.serve { event in
            guard case .reported(let id, let error) = event else { return }
            #expect(reports.updateValue(error, forKey: id) == nil, "a second report for \(id)")
        }
    }
    try #require(reports.count == records.count, "\(records.count - reports.count) records without a report")
    return reports.sorted { $0.key < $1.key }.map(\.value)
}
