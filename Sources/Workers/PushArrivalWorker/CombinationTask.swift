import Kafka
import PushStatistics
import Records
import ServiceKit
import StreamKit
import WireFormats

/// The task of one partition of the parts topic: it adds up the parts of each message, and publishes
/// statistics when they are due.
final class CombinationTask: StreamTask {
    private let combination: Combination
    private let topic: String
    private let format: ValueFormat
    private let metrics: PushMetrics

    init(_ settings: PushArrivalSettings, _ metrics: PushMetrics) {
        self.combination = Combination(pace: settings.pace)
        self.topic = settings.topics.statistics
        self.format = settings.statisticsFormat
        self.metrics = metrics
    }

    var memory: StreamMemory { .input }

    func restore(_ record: InboundRecord, at now: Moment) {
        guard let part = record.value.flatMap({ CohortSnapshot($0) }) else { return }
        self.combination.restore(part, now: now.wall)
    }

    func restored(at now: Moment) { self.combination.restored(now: now.wall) }

    func process(_ record: consuming InboundRecord, at now: Moment, _ output: StreamOutput) {
        // A tombstone says that a message is forgotten. This task forgets messages by its own rules.
        guard let value = record.value else { return }
        guard let part = CohortSnapshot(value) else { return self.metrics.unreadablePart() }
        self.combination.take(part, now: now.wall)
    }

    func bury(_ record: consuming InboundRecord, at now: Moment, _ output: StreamOutput) {
        self.metrics.unreadablePart()
    }

    func collect(at now: Moment, progress: Int64, _ output: StreamOutput) {
        self.combination.collect(now: now.wall) { key, statistics in
            output.send(
                OutboundRecord(
                    topic: self.topic,
                    key: key.recordKey,
                    value: statistics.encoded(as: self.format),
                    headers: [RecordHeader("content-type", self.format.contentType)]
                )
            )
            self.metrics.toldStatistics()
        }
    }

    var nextDue: Int64? { self.combination.nextDue }

    var byteCount: Int { self.combination.byteCount }
}
