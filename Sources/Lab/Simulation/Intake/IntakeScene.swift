package import ActivationIntake
import Kafka
import Operations
package import Records
package import ServiceKit
import StreamKit
import WireFormats

/// The tasks of the intake without a cluster and an engine: what they send to the home topic is handed to the
/// tasks of the homes, and everything else is kept.
package final class IntakeScene {
    /// The time at which a scene begins.
    package static let start = Moment(monotonic: 0, wall: 1_795_248_000_000)
    private static let partitions: Int32 = 3

    package let settings: IntakeSettings
    private let application: IntakeApplication
    private var homes: [Int32: any StreamTask] = [:]
    private var nextOffset: Int64 = 0
    /// The records that were sent to other topics than the home topic, the oldest first.
    package private(set) var sent: [OutboundRecord] = []
    /// The time of the next record.
    package private(set) var now = IntakeScene.start
    /// Whether the engine says that memory is short.
    package var isCrowded = false
    /// The bytes that the engine asks each task to give up.
    package var excess = 0

    package init(_ settings: IntakeSettings) {
        self.settings = settings
        let topics = [settings.topics.changelog: Int(Self.partitions)]
        self.application = IntakeApplication(
            settings,
            StreamCluster(id: "c", partitionCounts: topics),
            metrics: IntakeMetrics(factory: PrometheusRegistry())
        )
    }

    /// Lets time pass.
    package func wait(_ length: Duration) {
        self.now = Moment(monotonic: 0, wall: self.now.wall + length.wholeMilliseconds)
    }

    private func task(of topic: String, _ partition: Int32) -> any StreamTask {
        self.application.task(for: TopicPartition(topic: topic, partition: partition))
    }

    private func home(_ partition: Int32) -> any StreamTask {
        let task = self.homes[partition] ?? self.task(of: self.settings.topics.home, partition)
        self.homes[partition] = task
        return task
    }

    /// Processes a record of an input topic, and everything that follows from it.
    ///
    /// - Parameter timestamp: its time in milliseconds since 1970; nil for now.
    package func take(
        _ topic: String,
        _ value: [UInt8]?,
        headers: [RecordHeader] = [],
        key: [UInt8]? = nil,
        timestamp: Int64? = nil
    ) {
        let record = InboundRecord(
            topic: topic,
            partition: 0,
            offset: self.nextOffset,
            timestamp: timestamp ?? self.now.wall,
            key: key,
            value: value,
            headers: headers
        )
        self.nextOffset += 1
        let output = StreamOutput()
        self.task(of: topic, 0).process(record, at: self.now, output)
        self.deliver(output)
    }

    private func deliver(_ output: StreamOutput) {
        var records: [OutboundRecord] = []
        output.drain { records.append(copy $0) }
        for record in records {
            guard record.topic == self.settings.topics.home, let partition = record.partition else {
                self.sent.append(record)
                continue
            }
            let next = self.output
            self.home(partition).process(self.inbound(record), at: self.now, next)
            self.deliver(next)
        }
    }

    private func inbound(_ record: OutboundRecord) -> InboundRecord {
        self.nextOffset += 1
        return InboundRecord(
            topic: record.topic,
            partition: record.partition ?? 0,
            offset: self.nextOffset,
            timestamp: record.timestamp,
            key: record.key,
            value: record.value,
            headers: record.headers
        )
    }

    /// Ends a transaction in every home.
    package func collect() {
        for task in self.homes.values {
            let output = self.output
            task.collect(at: self.now, progress: self.now.wall, output)
            self.deliver(output)
        }
    }

    /// A new output, which says what the engine would say of the memory.
    private var output: StreamOutput {
        let output = StreamOutput()
        output.isCrowded = self.isCrowded
        output.excess = self.excess
        return output
    }

    /// Drops every home and makes it anew from what was written, as another member does after a rebalance.
    package func rebalance() {
        let changes = self.sent(to: self.settings.topics.changelog).map(self.inbound)
        self.homes = [:]
        for change in changes { self.home(change.partition).restore(change, at: self.now) }
        for task in self.homes.values { task.restored(at: self.now) }
    }

    /// Returns the records that were sent to a topic.
    package func sent(to topic: String?) -> [OutboundRecord] { self.sent.filter { $0.topic == topic } }

    /// The bytes that the homes say they take.
    package var byteCount: Int { self.homes.values.reduce(0) { $0 + $1.byteCount } }
}
