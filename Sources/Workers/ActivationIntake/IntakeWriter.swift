import Kafka
import Records
import ServiceKit
import StreamKit
import WireFormats
import WorkerKit

/// The writer of what the tasks of the intake put out: outcomes, dead letters, and records for the home
/// partitions.
final class IntakeWriter {
    let settings: IntakeSettings
    private let outcomes: StreamOutcomes
    /// The spread of the devices over the home partitions.
    let spread: StateSpread
    private var random = SystemRandomNumberGenerator()

    init(_ settings: IntakeSettings, _ cluster: StreamCluster) {
        self.settings = settings
        self.spread = settings.topics.spread(in: cluster.partitionCounts)
        self.outcomes = StreamOutcomes(
            worker: WorkerIdentity.activationIntake.name,
            kafka: settings.kafka,
            cluster: cluster
        )
    }

    // MARK: - Outcomes

    /// Writes the outcome of an activation that is not reported. Its key is the device, as for one that is.
    func reject(
        _ record: borrowing InboundRecord,
        because reason: Reason,
        _ activation: Activation,
        unknown: UnknownFields?,
        at now: Moment,
        to output: StreamOutput
    ) {
        let outcome = self.outcomes.outcome(of: record, .rejected, because: reason, at: now)
        let answer = ActivationAnswer(
            account: activation.account,
            conversionType: activation.conversionType.rawValue,
            isTimeAssumed: activation.isTimeAssumed
        )
        self.send(
            ActivationResult.encode(outcome, answer, as: .json),
            of: record,
            topic: self.settings.topics.result,
            key: activation.muid.text,
            headers: unknown.map { [$0.recordHeader] } ?? [],
            to: output
        )
    }

    /// Writes the outcome of an upload or of a click.
    ///
    /// - Parameter counts: the numbers of an upload; nil if nothing of it was taken.
    func settle(
        _ record: borrowing InboundRecord,
        _ fate: Outcome.Fate,
        because reason: Reason?,
        counts: SDKUploadResult.Counts? = nil,
        topic: String,
        at now: Moment,
        to output: StreamOutput
    ) {
        let outcome = self.outcomes.outcome(of: record, fate, because: reason, at: now)
        self.send(
            SDKUploadResult.upload(outcome, counts),
            of: record,
            topic: topic,
            origin: Self.origin(ofRequest: record),
            to: output
        )
    }

    /// The longest key of an event's outcome, in bytes. The key is that of the upload, which may have a thousand events.
    private static let eventKeyLimit = 256

    /// Writes the outcome of an event of an upload that is not passed on.
    func reject(
        event id: String,
        _ type: SDKEventType,
        of record: borrowing InboundRecord,
        because reason: Reason,
        at now: Moment,
        to output: StreamOutput
    ) {
        let outcome = self.outcomes.outcome(of: record, .rejected, because: reason, at: now)
        self.send(
            SDKUploadResult.event(outcome, id: id, type: type),
            of: record,
            topic: self.settings.topics.uploadResult,
            keyLimit: Self.eventKeyLimit,
            origin: Self.origin(ofRequest: record),
            to: output
        )
    }

    /// Returns the headers of origin of an upload or a click. Neither was published before, so only a replay names
    /// where it stood. A phone may have put such a name among the headers of its request.
    private static func origin(ofRequest record: borrowing InboundRecord) -> [RecordHeader] {
        record.replayHeader == nil ? [] : record.originHeaders
    }

    /// Writes the dead letter of a record that its publisher has to mend, or that has killed three processes,
    /// and its outcome.
    func bury(
        _ record: borrowing InboundRecord,
        as kind: DeadLetter.Class,
        because reason: Reason,
        resultTopic: String,
        at now: Moment,
        to output: StreamOutput
    ) {
        let (letter, outcome) = self.outcomes.letter(of: record, as: kind, because: reason, at: now)
        output.send(letter)
        let isUploadResult = self.settings.takesUploads && resultTopic == self.settings.topics.uploadResult
        // An upload may stand among the activations too.
        let isUpload = isUploadResult || record.header(SDKUploadRequest.targetHeader) != nil
        self.send(
            isUploadResult
                ? SDKUploadResult.upload(outcome, nil) : ActivationResult.encode(outcome, nil, as: .json),
            of: record,
            topic: resultTopic,
            origin: isUpload ? Self.origin(ofRequest: record) : nil,
            to: output
        )
    }

    /// Writes an outcome.
    ///
    /// - Parameters:
    ///   - key: the key of the outcome; nil for that of the record.
    ///   - keyLimit: the longest key in bytes; a longer one is left out.
    ///   - origin: the headers of origin; nil for those of the record.
    ///   - headers: the outcome's headers beside those of every outcome.
    private func send(
        _ value: [UInt8],
        of record: borrowing InboundRecord,
        topic: String,
        key: [UInt8]? = nil,
        keyLimit: Int = .max,
        origin: [RecordHeader]? = nil,
        headers: [RecordHeader] = [],
        to output: StreamOutput
    ) {
        let headers =
            [RecordHeader("content-type", ValueFormat.json.contentType)] + (origin ?? record.originHeaders)
            + headers
        var result = self.outcomes.result(value, of: record, to: topic, headers: headers, using: &self.random)
        if let key { result.key = key }
        result.omitKey(longerThan: keyLimit)
        output.send(result)
    }

    // MARK: - Records for others

    /// Sends a record to the home of a thing.
    ///
    /// - Parameters:
    ///   - name: the name of the thing, as `HomeRecord.Name` gives it.
    ///   - timestamp: the time of the record that it comes from.
    /// - Returns: false, and nothing is sent, if the broker would not take a record of that size.
    func send(
        home kind: HomeRecord.Kind,
        named name: String,
        value: [UInt8]?,
        headers: [RecordHeader],
        timestamp: Int64?,
        to output: StreamOutput
    ) -> Bool {
        let key = Array(name.utf8)
        let record = OutboundRecord(
            topic: self.settings.topics.home,
            key: key,
            value: value,
            headers: headers + [RecordHeader(HomeRecord.kindHeader, kind.rawValue)],
            partition: Partitioner.murmur2.partition(of: key, among: self.spread.homes),
            timestamp: timestamp
        )
        guard self.hasRoom(for: record) else { return false }
        output.send(record)
        return true
    }

    /// Sends an activation to the home of its device, by way of the home of the click that it names.
    ///
    /// - Returns: false if the record is too large to be sent with the headers of its origin.
    func sendHome(
        _ activation: Activation,
        value: [UInt8]?,
        headers: [RecordHeader],
        timestamp: Int64?,
        to output: StreamOutput
    ) -> Bool {
        if self.settings.matchesClicks, let click = activation.clickID {
            return self.send(
                home: .lookup,
                named: HomeRecord.Name.click(click),
                value: value,
                headers: headers,
                timestamp: timestamp,
                to: output
            )
        }
        return self.send(
            home: .activation,
            named: HomeRecord.Name.device(activation.muidText),
            value: value,
            headers: headers,
            timestamp: timestamp,
            to: output
        )
    }

    /// Whether the broker would take a record of that size.
    func hasRoom(for record: OutboundRecord) -> Bool {
        record.encodedBytesBound <= self.settings.kafka.messageBytesLimit
    }

    /// Sends a record to the worker that reports activations, without its key if there is no room for it.
    ///
    /// - Returns: false, and nothing is sent, if the broker would not take a record of that size.
    func sendDue(_ record: OutboundRecord, to output: StreamOutput) -> Bool {
        var record = record
        record.omitKey(beyond: self.settings.kafka.messageBytesLimit)
        guard self.hasRoom(for: record) else { return false }
        output.send(record)
        return true
    }

    /// Writes the dead letter of an activation that cannot be passed on as large as it is.
    func buryTooLarge(_ record: borrowing InboundRecord, at now: Moment, to output: StreamOutput) {
        self.bury(
            record,
            as: .invalid,
            because: Reason("value.too_large", "The value is larger than the worker can pass on."),
            resultTopic: self.settings.topics.result,
            at: now,
            to: output
        )
    }
}

extension Activation {
    /// The muid as text.
    var muidText: String { String(decoding: self.muid.text, as: UTF8.self) }
}
