package import Kafka
import Operations
package import Records
package import StreamKit

/// The kinds of task of the intake, by the topic.
package final class IntakeApplication: StreamApplication {
    private let settings: IntakeSettings
    private let writer: IntakeWriter
    private let metrics: IntakeMetrics

    package init(_ settings: IntakeSettings, _ cluster: StreamCluster, metrics: IntakeMetrics) {
        self.settings = settings
        self.writer = IntakeWriter(settings, cluster)
        self.metrics = metrics
    }

    package var topics: [String] {
        [self.settings.topics.activations, self.settings.topics.home]
            + (self.settings.takesUploads ? [self.settings.topics.uploads] : [])
            + (self.settings.matchesClicks ? [self.settings.topics.clicks] : [])
    }

    package var spreads: [StateSpread] { [self.writer.spread] }

    /// Its key is shorter than that of a remembered thing.
    package var clockRecord: OutboundRecord? { self.writer.spread.clockRecord }

    package func task(for partition: TopicPartition) -> any StreamTask {
        switch partition.topic {
        case self.settings.topics.home: HomeTask(partition.partition, self.writer, metrics: self.metrics)
        case self.settings.topics.uploads where self.settings.takesUploads:
            UploadTask(self.writer, self.metrics)
        case self.settings.topics.clicks where self.settings.matchesClicks:
            ClickTask(self.writer, self.metrics)
        default: ActivationTask(self.writer, self.metrics)
        }
    }
}
