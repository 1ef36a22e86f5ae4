import Cryptography
import Kafka
import PushStatistics
import Records
import StreamKit

/// The two kinds of task of the worker. An arrival task counts events in the home partition of their device;
/// a combination task adds up the counts of all partitions in the partition of their message.
final class PushApplication: StreamApplication {
    private let settings: PushArrivalSettings
    private let cluster: StreamCluster
    private let metrics: PushMetrics

    init(_ settings: PushArrivalSettings, _ cluster: StreamCluster, metrics: PushMetrics) {
        self.settings = settings
        self.cluster = cluster
        self.metrics = metrics
    }

    var topics: [String] { [self.settings.topics.input, self.settings.topics.parts] }

    var inputTopics: [String] { [self.settings.topics.input] }

    var spreads: [StateSpread] {
        let counts = self.cluster.partitionCounts
        return [self.settings.spread(in: counts), self.settings.spreadOfParts(in: counts)]
    }

    /// It has no value, so a task takes nothing from it.
    var clockRecord: OutboundRecord? {
        self.settings.spread(in: self.cluster.partitionCounts).clockRecord
    }

    func task(for partition: TopicPartition) -> any StreamTask {
        guard partition.topic == self.settings.topics.input else {
            return CombinationTask(self.settings, self.metrics)
        }
        return ArrivalTask(partition.partition, self.settings, cluster: self.cluster, metrics: self.metrics)
    }
}
