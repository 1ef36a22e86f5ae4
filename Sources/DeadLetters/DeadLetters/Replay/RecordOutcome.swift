package import Records
import SwiftProtobuf
import WireFormats
import WireMessages

/// The outcome of a record, read from any worker's result topic.
///
/// Results differ from worker to worker. All of them hold their outcome as field 1 in protobuf, and as the
/// member `outcome` in JSON, so an outcome can be read without knowing the worker.
package struct RecordOutcome: Hashable, Sendable {
    /// The topic of the input record; empty if the outcome names none.
    package var topic: String
    /// The partition of the input record.
    package var partition: Int32
    /// The offset of the input record.
    package var offset: Int64
    /// The record's fate: one of `Outcome.Fate`, or a word of a newer worker.
    package var fate: String
    /// The code of the reason, at most 120 visible ASCII characters; nil if the outcome has none.
    package var reasonCode: String?
    /// The calls that were made for the record.
    package var attempts: Int
    /// The id of the dead letter that the record became; nil unless it was dead-lettered.
    package var deadLetterID: String?
    /// The time at which the record was settled, in wall-clock milliseconds since 1970.
    package var settledAt: Int64?

    /// Reads a record of a result topic; nil if it holds no outcome that can be read.
    package init?(_ record: borrowing InboundRecord) {
        guard let payload = try? RecordPayload(of: record, messageAt: nil), let outcome = payload.outcome,
            let fate = Self.code(outcome.fate)
        else { return nil }
        self.topic = outcome.topic
        self.partition = outcome.partition
        self.offset = outcome.offset
        self.fate = fate
        self.reasonCode = Self.code(outcome.reason.code)
        self.attempts = Int(outcome.attempts)
        self.deadLetterID = Self.code(outcome.deadLetterID)
        if outcome.hasSettledAt, -62_135_596_800...253_402_300_799 ~= outcome.settledAt.seconds {
            let time = outcome.settledAt
            self.settledAt = time.seconds * 1_000 + Int64(time.nanos / 1_000_000)
        }
    }

    private static func code(_ text: String) -> String? {
        let bytes = text.utf8
        guard 1...DeadLetterFacts.reasonBytesLimit ~= bytes.count, bytes.allSatisfy(\.isVisible) else {
            return nil
        }
        return text
    }
}

extension RecordPayload {
    /// The outcome inside a result, read without knowing which worker's result it is.
    fileprivate var outcome: Flotilla_Outcome_V1_Outcome? {
        switch self.format {
        case .json:
            guard let text = JSONObject(Array(self.bytes[self.start...]))?.value("outcome") else {
                return nil
            }
            var options = JSONDecodingOptions()
            options.ignoreUnknownFields = true
            return try? Flotilla_Outcome_V1_Outcome(jsonUTF8Bytes: Array(text), options: options)
        case .protobuf:
            guard let fields = ProtobufFields(self.bytes[self.start...]) else { return nil }
            // Protobuf merges a message field that occurs twice. Joining the bytes of both gives the same
            // result.
            let outcome = fields.filter { $0.number == 1 && $0.kind == .bytes }.flatMap(\.content)
            guard !outcome.isEmpty else { return nil }
            return try? Flotilla_Outcome_V1_Outcome(serializedBytes: outcome)
        }
    }
}
