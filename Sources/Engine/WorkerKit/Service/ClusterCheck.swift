import Kafka
import Logging
import Operations
import ServiceKit

/// The check of a cluster before the first record: it asks what the cluster holds, and compares that with
/// `Preflight`.
struct ClusterCheck {
    let settings: WorkerSettings
    let health: Health
    let registry: PrometheusRegistry
    let logger: Logger

    /// Returns what the engine has to know of the cluster; nil if a stop was requested meanwhile.
    ///
    /// - Parameter bound: The point up to which the input is read. The broker learns its offsets.
    /// - Throws: `PreflightFailure`, with a sentence for each fault.
    func facts(
        of broker: KafkaBroker,
        bound: ReadBound?,
        until stop: StopRequest
    ) throws -> ClusterFacts? {
        self.settings.kafka.certificates.tell(self.logger, in: self.registry)
        let wait = ClusterWait(
            limit: self.settings.startLimit,
            brokers: self.settings.kafka.brokers,
            health: self.health,
            logger: self.logger
        )
        return try wait.answer(of: broker, until: stop) {
            let facts = try self.facts(of: broker, wait)
            broker.bounds = try bound?.bounds(
                of: [self.settings.engine.inputTopic],
                in: broker,
                atMost: ClusterWait.slice
            )
            return facts
        }
    }

    private func facts(of broker: KafkaBroker, _ wait: ClusterWait) throws -> ClusterFacts {
        var check = Preflight(self.settings.engine)
        let cluster = try broker.consumer.metadata(atMost: ClusterWait.slice)
        check.meet(cluster)
        let faults = check.faults(in: cluster)
        guard faults.isEmpty else { throw PreflightFailure(faults: faults, mayPass: true) }
        let settings = wait.settings(of: check.describedTopics, of: broker)
        try wait.check(self.settings.rights(check), self.settings.kafka, of: broker)
        if let settings {
            TopicRetention.show(settings, in: self.registry)
            try self.look(at: check.outlook(settings))
        }
        // The cluster's id is part of every dead letter's id: without it, one record would have one id now
        // and another later.
        let id = try wait.clusterID(of: broker)
        let retryTopics = Set(check.retryTiers.map(\.topic))
        return ClusterFacts(
            clusterID: id,
            resultPartitions: cluster.partitionCounts[check.resultTopic] ?? 1,
            deadLetterPartitions: cluster.partitionCounts[check.deadLetterTopic] ?? 1,
            routedLetterPartitions: cluster.partitionCounts.filter {
                check.routedLetterTopics.contains($0.key)
            },
            consumedPartitions: self.settings.engine.consumedTopics
                .reduce(0) { $0 + (cluster.partitionCounts[$1] ?? 0) },
            isInputCompacted: settings?[check.inputTopic]?["cleanup.policy"]?.contains("compact") ?? false,
            parkedPartitions: check.parkedPartitions,
            retryPartitions: cluster.partitionCounts.filter { retryTopics.contains($0.key) },
            clockLead: self.settings.kafka.clockLead(
                writing: ParkingTicket.end(
                    of: ParkingTicket.clockOffset,
                    in: check.parkedTopic,
                    partition: 0
                ),
                toFirstOf: check.parkedPartitions,
                in: settings?[check.parkedTopic],
                telling: self.logger
            )
        )
    }

    /// Tells what the settings of the topics mean for this worker.
    private func look(at outlook: Preflight.Outlook) throws {
        guard outlook.faults.isEmpty else { throw PreflightFailure(faults: outlook.faults) }
        for warning in outlook.warnings { self.logger.warning("\(warning)") }
        for note in outlook.notes { self.logger.notice("\(note)") }
        guard !outlook.unknown.isEmpty else { return }
        self.logger.info(
            "no right to describe some topics: their retention and limits are unchecked",
            metadata: ["topics": "\(outlook.unknown.joined(separator: " "))"]
        )
    }
}
