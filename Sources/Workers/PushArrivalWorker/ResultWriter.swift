import PushStatistics
import Records
import ServiceKit
import StreamKit
import WireFormats

/// The writer of the outcomes: one result for every input record, and a dead letter for every record that
/// cannot be read.
final class ResultWriter {
    private let settings: PushArrivalSettings
    private let outcomes: StreamOutcomes
    private let headers: [RecordHeader]
    /// The frame of a schema registry before each value; empty if there is none.
    private let frame: [UInt8]
    private let metrics: PushMetrics
    private var random = SystemRandomNumberGenerator()

    init(_ settings: PushArrivalSettings, _ cluster: StreamCluster, metrics: PushMetrics) {
        self.settings = settings
        self.metrics = metrics
        self.outcomes = StreamOutcomes(
            worker: PushArrivalProgram.identity.name,
            kafka: settings.kafka,
            cluster: cluster
        )
        self.headers = [RecordHeader("content-type", settings.resultFormat.contentType)]
        self.frame =
            settings.resultSchemaID.map {
                SchemaRegistryFraming.frame(schema: $0, settings.resultFormat, messageAt: 0)
            } ?? []
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
            outcome: self.outcomes.outcome(of: record, .succeeded, because: nil, at: now),
            subject: subject,
            unknown: self.unknownFields(of: record),
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
        let outcome = self.outcomes.outcome(of: record, .rejected, because: reason, at: now)
        self.send(
            record,
            origin,
            outcome: outcome,
            subject: .refused(header),
            unknown: self.unknownFields(of: record),
            to: output
        )
    }

    /// Writes the result and the dead letter of a record that cannot be read, or must not be read because it
    /// has killed three processes. The dead letter refers to the record and omits its value, because the value
    /// may hold the text of the notification.
    func bury(
        _ record: borrowing InboundRecord,
        _ origin: EventOrigin,
        as kind: DeadLetter.Class,
        because reason: Reason,
        at now: Moment,
        to output: StreamOutput
    ) {
        let (letter, outcome) = self.outcomes.letter(of: record, as: kind, because: reason, at: now)
        output.send(letter)
        self.send(record, origin, outcome: outcome, subject: nil, unknown: nil, to: output)
    }

    // MARK: - Outcomes

    /// Returns the members of a record that the schema does not have, and counts the record if it has some.
    private func unknownFields(of record: borrowing InboundRecord) -> UnknownFields? {
        let found = UnknownFields(of: record, in: .pushEvent)
        if found != nil { self.metrics.unknownFieldsFound() }
        return found
    }

    private func send(
        _ record: borrowing InboundRecord,
        _ origin: EventOrigin,
        outcome: Outcome,
        subject: PushArrivalResult.Subject?,
        unknown: UnknownFields?,
        to output: StreamOutput
    ) {
        var headers = self.headers
        if let header = origin.outcomeHeader { headers.append(header) }
        if let unknown { headers.append(unknown.recordHeader) }
        var value = PushArrivalResult.encode(outcome, subject, as: self.settings.resultFormat)
        if !self.frame.isEmpty { value.insert(contentsOf: self.frame, at: 0) }
        var result = self.outcomes.result(
            value,
            of: record,
            to: self.settings.topics.result,
            headers: headers,
            using: &self.random
        )
        result.wrap(in: self.settings.resultEnvelope, of: outcome, as: self.settings.resultFormat)
        result.omitKey(beyond: self.settings.kafka.messageBytesLimit)
        output.send(result)
    }
}
