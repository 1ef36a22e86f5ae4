import Kafka
package import Records
package import ServiceKit
package import WireFormats

/// The outcomes and dead letters of a stream worker, as every worker of the fleet writes them.
package struct StreamOutcomes {
    private let worker: String
    private let kafka: KafkaSettings
    private let cluster: StreamCluster

    /// - Parameter worker: The name of the worker, which every outcome tells.
    package init(worker: String, kafka: KafkaSettings, cluster: StreamCluster) {
        self.worker = worker
        self.kafka = kafka
        self.cluster = cluster
    }

    /// Returns the outcome of a record.
    package func outcome(
        of record: borrowing InboundRecord,
        _ fate: Outcome.Fate,
        because reason: Reason?,
        at now: Moment,
        deadLetterID: String? = nil
    ) -> Outcome {
        Outcome(
            topic: record.topic,
            partition: record.partition,
            offset: record.offset,
            fate: fate,
            reason: reason,
            attempts: 0,
            deadLetterID: deadLetterID,
            receivedAt: now.wall,
            settledAt: now.wall,
            worker: self.worker,
            workerVersion: WorkerIdentity.version
        )
    }

    /// The headers of a record that its letter keeps, beside those that begin with one of `keptPrefixes`.
    private static let keptHeaders = Set(
        ["content-type", "x-compress-codec", "x-crypt-codec"]
            + [TraceContext.parentHeader, TraceContext.stateHeader] + RecordOrigin.publisherHeaders
    )
    private static let keptPrefixes = ["upload.", "click.", "flotilla.", "dlq."]

    /// Whether a letter keeps a header. The others can be those of a request of a phone, with whatever secrets an edge has
    /// copied with them, and nobody here reads them.
    private static func isKept(_ header: RecordHeader) -> Bool {
        // No name that is kept is longer. To compare a long one can take seconds.
        guard header.name.utf8.count <= 64 else { return false }
        let name = header.name.lowercased()
        return Self.keptHeaders.contains(name) || Self.keptPrefixes.contains(where: name.hasPrefix)
    }

    /// Returns the dead letter of a record, and the outcome that names it. The letter refers to the record and
    /// omits its value, because the value may hold what is personal, and headers that nobody here knows.
    package func letter(
        of record: borrowing InboundRecord,
        as kind: DeadLetter.Class,
        because reason: Reason,
        at now: Moment
    ) -> (letter: OutboundRecord, outcome: Outcome) {
        let notice = DeadLetterNotice(
            source: DeadLetterNotice.Source(
                clusterID: self.cluster.id,
                topic: record.topic,
                partition: record.partition,
                offset: record.offset,
                group: self.kafka.group,
                timestamp: record.timestamp
            ),
            kind: kind,
            reason: reason,
            replayable: .afterFix,
            attempts: 0,
            firstFailedAt: now.wall,
            failedAt: now.wall,
            worker: self.worker,
            workerVersion: WorkerIdentity.version
        )
        var known = copy record
        known.headers.removeAll { !Self.isKept($0) }
        let topic = self.kafka.deadLetterRoutes.topic(for: reason.code) ?? self.kafka.deadLetterTopic
        let letter = notice.record(
            of: known,
            to: topic,
            partition: record.partition % self.partitions(of: topic),
            encodedBytesLimit: self.kafka.messageBytesLimit,
            omitsValue: true
        )
        return (
            letter, self.outcome(of: record, .deadLettered, because: reason, at: now, deadLetterID: notice.id)
        )
    }

    /// Returns the record of an outcome.
    ///
    /// - Parameters:
    ///   - value: The encoded outcome.
    ///   - headers: The first headers; those of the trace, of a replay and of the publisher follow.
    package func result(
        _ value: [UInt8],
        of record: borrowing InboundRecord,
        to topic: String,
        headers: [RecordHeader],
        using random: inout some RandomNumberGenerator
    ) -> OutboundRecord {
        var headers = headers
        if !record.headers.isEmpty {
            if let trace = TraceContext(record.headers) {
                headers += trace.child(random: random.next()).headers
            }
            // The header tells the tool that replays dead letters how the replayed record ended.
            if let replay = record.replayHeader { headers.append(replay) }
            headers += record.publisherHeaders
        }
        var result = OutboundRecord(
            topic: topic,
            key: record.key,
            value: value,
            headers: headers,
            // Outcomes of one input partition stay in one partition and in order, whichever partitioner the
            // publisher uses.
            partition: record.partition % self.partitions(of: topic)
        )
        result.omitKey(beyond: self.kafka.messageBytesLimit)
        return result
    }

    private func partitions(of topic: String) -> Int32 {
        Int32(clamping: max(1, self.cluster.partitionCounts[topic] ?? 1))
    }
}
