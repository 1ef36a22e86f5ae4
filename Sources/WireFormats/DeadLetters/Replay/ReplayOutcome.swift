package import Records
import SwiftProtobuf
import WireMessages

/// How a replayed record ended, as its worker's result topic has it.
///
/// Results differ from worker to worker; all have their outcome as field 1, or as the member `outcome`.
package struct ReplayOutcome: Hashable, Sendable {
    package var replayID: String
    /// One of `Outcome.Fate`, or one of a newer worker.
    package var fate: String
    package var reasonCode: String?
    /// Of the letter that the record became; nil unless it died again.
    package var deadLetterID: String?
    /// Wall-clock milliseconds since 1970.
    package var settledAt: Int64?

    /// Nil for what is not the outcome of a replayed record, or cannot be read.
    package init?(_ record: borrowing InboundRecord) {
        guard let id = record.replayHeader?.value else { return nil }
        guard let payload = try? RecordPayload(of: record), let outcome = payload.outcome,
            let fate = Self.code(outcome.fate)
        else { return nil }
        self.replayID = String(decoding: id, as: UTF8.self)
        self.fate = fate
        self.reasonCode = Self.code(outcome.reason.code)
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
    /// The outcome that every result has, read without knowing whose result it is.
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
            // Said twice, a message's fields add up: so do its bytes.
            let outcome = fields.filter { $0.number == 1 && $0.kind == .bytes }.flatMap(\.content)
            guard !outcome.isEmpty else { return nil }
            return try? Flotilla_Outcome_V1_Outcome(serializedBytes: outcome)
        }
    }
}
