import Kafka
import PushStatistics
import Records
import ServiceKit
import StreamKit
import WireFormats

/// The task of one partition of the parts topic: it adds up the parts of each message, and publishes
/// statistics when they are due.
final class CombinationTask: StreamTask {
    private let partition: Int32
    private let combination: Combination
    private let topics: PushTopicNames
    /// The spread of the messages over the partitions of the parts topic.
    private let spread: StateSpread
    private let format: ValueFormat
    private let metrics: PushMetrics

    init(
        _ partition: Int32,
        _ settings: PushArrivalSettings,
        cluster: StreamCluster,
        metrics: PushMetrics
    ) {
        self.partition = partition
        self.combination = Combination(pace: settings.pace)
        self.topics = settings.topics
        self.spread = settings.spreadOfParts(in: cluster.partitionCounts)
        self.format = settings.statisticsFormat
        self.metrics = metrics
    }

    var memory: StreamMemory { .input }

    func restore(_ record: InboundRecord, at now: Moment) {
        guard let value = record.value else {
            return self.combination.restore(forgotten: record.key ?? [], now: now.wall)
        }
        if let part = CohortSnapshot(value) { self.combination.restore(part, now: now.wall) }
    }

    func restored(at now: Moment) { self.combination.restored(now: now.wall) }

    func process(_ record: consuming InboundRecord, at now: Moment, _ output: StreamOutput) {
        // A tombstone comes from a task of this partition, which had forgotten the part before.
        guard let value = record.value else { return }
        guard let part = CohortSnapshot(value) else { return self.metrics.unreadablePart() }
        self.combination.take(part, now: now.wall)
    }

    func bury(_ record: consuming InboundRecord, at now: Moment, _ output: StreamOutput) {
        self.metrics.unreadablePart()
    }

    func collect(at now: Moment, progress: Int64, _ output: StreamOutput) {
        self.combination.collect(now: now.wall, excess: output.excess) { key, statistics in
            output.send(
                OutboundRecord(
                    topic: self.topics.statistics,
                    key: key.recordKey,
                    value: statistics.encoded(as: self.format),
                    headers: [RecordHeader("content-type", self.format.contentType)]
                )
            )
            self.metrics.toldStatistics()
        } forgotten: { part in
            output.send(
                OutboundRecord(
                    topic: self.topics.parts,
                    key: part.partKey,
                    headers: [self.spread.recordHeader],
                    partition: self.partition
                )
            )
            self.metrics.forgottenEarly()
        }
    }

    var nextDue: Int64? { self.combination.nextDue }

    var byteCount: Int { self.combination.byteCount }
}
