package import Records

/// The headers that a replay of a dead letter adds to the record. They are not part of a notice, so a worker
/// that dead-letters the record again leaves them where they are.
package enum ReplayHeader {
    /// The header with the id of the dead letter that the replay was made of.
    package static let letterID = "dlq.replay_of"
    /// The header with the id of the replay.
    package static let replayID = "dlq.replay_id"
    /// The header with the number of replays so far, this one included.
    package static let count = "dlq.replay_count"
    /// The header with the SHA-256 of the value before its first edit, in hexadecimal digits.
    package static let edited = "dlq.edited"

    /// The longest id of a replay; its characters are all visible ASCII.
    package static let replayIDBytesLimit = 128
}

extension InboundRecord {
    /// The header with the id of the replay that this record belongs to, which its outcome repeats. Nil if
    /// there is no such header, or its value is not 1 to 128 visible ASCII characters.
    package var replayHeader: RecordHeader? {
        guard !self.headers.isEmpty, let id = self.header(ReplayHeader.replayID),
            1...ReplayHeader.replayIDBytesLimit ~= id.count, id.allSatisfy(\.isVisible)
        else { return nil }
        return RecordHeader(ReplayHeader.replayID, id)
    }
}
