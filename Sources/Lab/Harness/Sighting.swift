package import Records
import SwiftProtobuf
import WireFormats
import WireMessages

/// An outcome as it was read from a result topic.
package struct Sighting: Hashable {
    /// The place of the record that the outcome is about: `topic/partition/offset`.
    package var place: String
    package var key: [UInt8]?
    package var fate: String
    package var reason: String?
    package var attempts: Int
    package var deadLetterID: String?
    /// The worker's own word beyond the fate, such as `not_set`; nil if the worker has none.
    package var word: String?
    /// The detail that the worker adds to the word, such as the bits.
    package var detail: String?
    /// The time at which the process that settled the record received it, in wall-clock milliseconds since
    /// 1970.
    package var receivedAt: Int64

    /// The most bytes of a value.
    private static let bytesLimit = 8 << 20

    /// Reads an outcome of the activation worker, in any form that a setting gives it; nil if the record is none.
    package init?(_ record: InboundRecord) {
        self.init(record, as: Flotilla_Activation_V1_ActivationResult.self)
    }

    /// Reads an outcome of any worker; nil if the record is no outcome.
    package init?<Message: WorkerResult>(_ record: InboundRecord, as type: Message.Type) {
        let payload = try? RecordPayload(of: record, bytesLimit: Self.bytesLimit, messageAt: nil)
        guard let message = try? payload?.decode(as: Message.self), message.hasOutcome else { return nil }
        self.word = message.word.isEmpty ? nil : message.word
        self.detail = message.detail
        let outcome = message.outcome
        // Protobuf defines this range for timestamps and does not enforce it. Larger times would overflow an
        // Int64 in milliseconds.
        let seconds = RFC3339.range.lowerBound / 1_000...RFC3339.range.upperBound / 1_000
        guard seconds.contains(outcome.receivedAt.seconds) else { return nil }
        // For a push event that was forwarded to the partition of its device, and for a record that was made of
        // another one, the outcome is matched to the place at which the record was published.
        let origin =
            record.text("flotilla.origin")
            ?? record.text("flotilla.push.origin").map { "\(outcome.topic)/\($0)" }
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
    /// The value of a header as text; nil if the header is missing.
    package func text(_ header: String) -> String? {
        self.header(header).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The place of the original record in a dead letter: `topic/partition/offset`; nil if the record is no
    /// dead letter.
    package var deadLetterPlace: String? {
        guard let topic = self.text("__dlq.errors.topic"),
            let partition = self.text("__dlq.errors.partition"),
            let offset = self.text("__dlq.errors.offset")
        else { return nil }
        return "\(topic)/\(partition)/\(offset)"
    }
}
