import PushStatistics
import Records
import StreamKit
import WireFormats
import WorkerKit

/// Writes what became of each event: one result for every record of the input, and a dead letter for what cannot be
/// read.
final class ResultWriter {
    private let settings: PushArrivalSettings
    private let cluster: StreamCluster
    private let headers: [RecordHeader]
    private var random = SystemRandomNumberGenerator()

    init(_ settings: PushArrivalSettings, _ cluster: StreamCluster) {
        self.settings = settings
        self.cluster = cluster
        self.headers = [RecordHeader("content-type", settings.resultFormat.contentType)]
    }

    /// An event was understood, and this is what it counted as.
    func settle(
        _ record: borrowing InboundRecord,
        _ origin: EventOrigin,
        _ event: PushEvent,
        _ judgement: Judgement,
        _ now: Moment,
        _ output: StreamOutput
    ) {
        let subject = PushArrivalResult.Subject.event(
            event,
            judgement.standing,
            PushTime(of: event, sentMS: judgement.sent)
        )
        self.send(record, origin, self.outcome(record, .succeeded, nil, now), subject, output)
    }

    /// An event was read, and cannot count as anything.
    func reject(
        _ record: borrowing InboundRecord,
        _ origin: EventOrigin,
        _ reason: Reason,
        _ header: PushEventHeader,
        _ now: Moment,
        _ output: StreamOutput
    ) {
        let outcome = self.outcome(record, .rejected, reason, now)
        self.send(record, origin, outcome, .refused(header), output)
    }

    /// A record cannot be read, or must not be. Its dead letter points at it: the value may hold the notification's text.
    func bury(
        _ record: borrowing InboundRecord,
        _ origin: EventOrigin,
        _ kind: DeadLetter.Class,
        _ reason: Reason,
        _ now: Moment,
        _ output: StreamOutput
    ) {
        let notice = DeadLetterNotice(
            source: DeadLetterNotice.Source(
                clusterID: self.cluster.id,
                topic: record.topic,
                partition: record.partition,
                offset: record.offset,
                group: self.settings.kafka.group,
                timestamp: record.timestamp
            ),
            kind: kind,
            reason: reason,
            replayable: .afterFix,
            attempts: 0,
            firstFailedAt: now.wall,
            failedAt: now.wall,
            worker: PushArrivalProgram.identity.name,
            workerVersion: WorkerIdentity.version
        )
        output.send(
            notice.record(
                of: record,
                to: self.settings.topics.deadLetter,
                partition: record.partition % self.partitions(of: self.settings.topics.deadLetter),
                encodedBytesLimit: self.settings.kafka.messageBytesLimit,
                omitsValue: true
            )
        )
        let outcome = self.outcome(record, .deadLettered, reason, now, deadLetterID: notice.id)
        self.send(record, origin, outcome, nil, output)
    }

    // MARK: - Outcomes

    private func outcome(
        _ record: borrowing InboundRecord,
        _ fate: Outcome.Fate,
        _ reason: Reason?,
        _ now: Moment,
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
            worker: PushArrivalProgram.identity.name,
            workerVersion: WorkerIdentity.version
        )
    }

    private func send(
        _ record: borrowing InboundRecord,
        _ origin: EventOrigin,
        _ outcome: Outcome,
        _ subject: PushArrivalResult.Subject?,
        _ output: StreamOutput
    ) {
        var headers = self.headers
        if !record.headers.isEmpty {
            if let trace = TraceContext(record.headers) {
                headers += trace.child(random: self.random.next()).headers
            }
            // Whoever replays dead letters finds by it how each of them ended.
            if let replay = record.replayHeader { headers.append(replay) }
            if let claim = origin.outcomeHeader { headers.append(claim) }
        }
        var result = OutboundRecord(
            topic: self.settings.topics.result,
            key: record.key,
            value: PushArrivalResult.encode(outcome, subject, as: self.settings.resultFormat),
            headers: headers,
            // Outcomes of one input partition stay together and in order, whatever the publisher's partitioner.
            partition: record.partition % self.partitions(of: self.settings.topics.result)
        )
        result.omitKey(beyond: self.settings.kafka.messageBytesLimit)
        output.send(result)
    }

    private func partitions(of topic: String) -> Int32 {
        Int32(clamping: max(1, self.cluster.partitionCounts[topic] ?? 1))
    }
}
