import Records
import SwiftProtobuf
import WireFormats
import WireMessages

/// An outcome as it stood in the result topic.
struct Sighting: Hashable {
    /// Of the record that it is about: `topic/partition/offset`.
    var place: String
    var key: [UInt8]?
    var fate: String
    var reason: String?
    var attempts: Int
    var deadLetterID: String?
    /// What the worker says of the record beyond its fate, such as `not_set`; nil if it says nothing more.
    var word: String?
    /// What there is to add to that, such as the bits.
    var detail: String?
    /// When the process that settled it took the record up: wall-clock milliseconds since 1970.
    var receivedAt: Int64

    /// Nil for what is no outcome, in either of the forms that a worker can be told to write.
    init?(_ record: InboundRecord) {
        self.init(record, as: Flotilla_Activation_V1_ActivationResult.self)
    }

    /// The same in the result topic of another worker.
    init?<Message: WorkerResult>(_ record: InboundRecord, as type: Message.Type) {
        guard let value = record.value else { return nil }
        let isJSON = value.first == UInt8(ascii: "{")
        let message = isJSON ? try? Message(jsonUTF8Bytes: value) : try? Message(serializedBytes: value)
        guard let message, message.hasOutcome else { return nil }
        self.word = message.word.isEmpty ? nil : message.word
        self.detail = message.detail
        let outcome = message.outcome
        // Protobuf allows no other times, and does not see to it; in milliseconds they might be too large for any Int64.
        let seconds = RFC3339.range.lowerBound / 1_000...RFC3339.range.upperBound / 1_000
        guard seconds.contains(outcome.receivedAt.seconds) else { return nil }
        // A push event that was sent on to its device's partition is told of under the place where it came in.
        let origin = record.text("flotilla.push.origin").map { "\(outcome.topic)/\($0)" }
        self.place = origin ?? outcome.id
        self.key = record.key
        self.fate = outcome.fate
        self.reason = outcome.hasReason ? outcome.reason.code : nil
        self.attempts = Int(outcome.attempts)
        self.deadLetterID = outcome.hasDeadLetterID ? outcome.deadLetterID : nil
        self.receivedAt = outcome.receivedAt.seconds * 1_000 + Int64(outcome.receivedAt.nanos / 1_000_000)
    }
}

extension InboundRecord {
    func text(_ header: String) -> String? { self.header(header).map { String(decoding: $0, as: UTF8.self) } }

    /// Where the record stood that this is the dead letter of: `topic/partition/offset`.
    var deadLetterPlace: String? {
        guard let topic = self.text("__dlq.errors.topic"),
            let partition = self.text("__dlq.errors.partition"),
            let offset = self.text("__dlq.errors.offset")
        else { return nil }
        return "\(topic)/\(partition)/\(offset)"
    }
}
