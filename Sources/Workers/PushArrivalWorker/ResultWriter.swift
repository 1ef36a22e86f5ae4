import PushStatistics
import Records
import ServiceKit
import StreamKit
import WireFormats

/// The writer of the outcomes: one result for every input record, and a dead letter for every record that
/// cannot be read.
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

    /// Writes the result of an event that was understood and counted by its standing.
    func settle(
        _ record: borrowing InboundRecord,
        _ origin: EventOrigin,
        event: PushEvent,
        judgement: Judgement,
        at now: Moment,
        to output: StreamOutput
    ) {
        let subject = PushArrivalResult.Subject.event(
            event,
            judgement.standing,
            PushTime(of: event, sentMS: judgement.sent)
        )
        self.send(
            record,
            origin,
            outcome: self.outcome(record, .succeeded, because: nil, at: now),
            subject: subject,
            to: output
        )
    }

    /// Writes the result of an event that could be read but cannot be counted.
    func reject(
        _ record: borrowing InboundRecord,
        _ origin: EventOrigin,
        because reason: Reason,
        header: PushEventHeader,
        at now: Moment,
        to output: StreamOutput
    ) {
        let outcome = self.outcome(record, .rejected, because: reason, at: now)
        self.send(record, origin, outcome: outcome, subject: .refused(header), to: output)
    }

    /// Writes the result and the dead letter of a record that cannot be read, or must not be read because it
    /// has killed two processes. The dead letter refers to the record and omits its value, because the value
    /// may hold the text of the notification.
    func bury(
        _ record: borrowing InboundRecord,
        _ origin: EventOrigin,
        as kind: DeadLetter.Class,
        because reason: Reason,
        at now: Moment,
        to output: StreamOutput
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
        let outcome = self.outcome(record, .deadLettered, because: reason, at: now, deadLetterID: notice.id)
        self.send(record, origin, outcome: outcome, subject: nil, to: output)
    }

    // MARK: - Outcomes

    private func outcome(
        _ record: borrowing InboundRecord,
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
            worker: PushArrivalProgram.identity.name,
            workerVersion: WorkerIdentity.version
        )
    }

    private func send(
        _ record: borrowing InboundRecord,
        _ origin: EventOrigin,
        outcome: Outcome,
        subject: PushArrivalResult.Subject?,
        to output: StreamOutput
    ) {
        var headers = self.headers
        if !record.headers.isEmpty {
            if let trace = TraceContext(record.headers) {
                headers += trace.child(random: self.random.next()).headers
            }
            // The header tells the tool that replays dead letters how the replayed record ended.
            if let replay = record.replayHeader { headers.append(replay) }
            if let claim = origin.outcomeHeader { headers.append(claim) }
        }
        var result = OutboundRecord(
            topic: self.settings.topics.result,
            key: record.key,
            value: PushArrivalResult.encode(outcome, subject, as: self.settings.resultFormat),
            headers: headers,
            // Outcomes of one input partition stay in one partition and in order, whichever partitioner the
            // publisher uses.
            partition: record.partition % self.partitions(of: self.settings.topics.result)
        )
        result.omitKey(beyond: self.settings.kafka.messageBytesLimit)
        output.send(result)
    }

    private func partitions(of topic: String) -> Int32 {
        Int32(clamping: max(1, self.cluster.partitionCounts[topic] ?? 1))
    }
}
