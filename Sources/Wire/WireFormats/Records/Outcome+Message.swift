package import SwiftProtobuf
package import WireMessages

extension Flotilla_Outcome_V1_Outcome {
    package init(_ outcome: Outcome) {
        self.init()
        self.id = outcome.id
        self.topic = outcome.topic
        self.partition = outcome.partition
        self.offset = outcome.offset
        self.fate = outcome.fate.rawValue
        if let reason = outcome.reason {
            self.reason.code = reason.code
            self.reason.message = reason.message
        }
        self.attempts = Int32(clamping: outcome.attempts)
        if let deadLetterID = outcome.deadLetterID {
            self.deadLetterID = deadLetterID
        }
        self.receivedAt = Google_Protobuf_Timestamp(milliseconds: outcome.receivedAt)
        self.settledAt = Google_Protobuf_Timestamp(milliseconds: outcome.settledAt)
        self.worker = outcome.worker
        self.workerVersion = outcome.workerVersion
    }
}

extension Google_Protobuf_Timestamp {
    /// Makes a timestamp of milliseconds since 1970. A time beyond the range of the JSON mapping is moved to
    /// the nearer end.
    package init(milliseconds: Int64) {
        let time = min(max(milliseconds, RFC3339.range.lowerBound), RFC3339.range.upperBound)
        let millisecond = (time % 1_000 + 1_000) % 1_000
        self.init(seconds: (time - millisecond) / 1_000, nanos: Int32(millisecond) * 1_000_000)
    }

    /// The time in milliseconds since 1970, rounded down. A time beyond the range of the JSON mapping is moved
    /// to the nearer end.
    package var milliseconds: Int64 {
        let range = RFC3339.range
        let seconds = min(max(self.seconds, range.lowerBound / 1_000), range.upperBound / 1_000)
        let millisecond = min(max(self.nanos, 0), 999_999_999) / 1_000_000
        return min(seconds * 1_000 + Int64(millisecond), range.upperBound)
    }
}

extension Message {
    /// Encodes one of our own messages. That cannot fail, because they have no required fields.
    package func encoded() -> [UInt8] {
        do {
            return try self.serializedBytes()
        } catch {
            preconditionFailure("\(Self.protoMessageName) cannot be written")
        }
    }
}
