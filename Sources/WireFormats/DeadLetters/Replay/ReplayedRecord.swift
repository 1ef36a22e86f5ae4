import Cryptography
package import Records

/// What is published to give a dead record another chance: its key, its value and its own headers, as they were and
/// in their order, and what says whose replay it is.
package struct ReplayedRecord: Hashable, Sendable {
    /// Whose time the record has. A worker's deadline counts from it.
    package enum TimestampPolicy: String, Hashable, Sendable, CaseIterable {
        /// That of the record that died; the letter's own where nobody says.
        case original
        /// That of its sending.
        case now
    }

    package enum PartitionPolicy: String, Hashable, Sendable, CaseIterable {
        /// The number of the partition it was in, so that records without a key keep their order too.
        case original
        /// The hash of the key decides, as for a publisher.
        case byKey = "by_key"
    }

    /// `dlq.replay_of`, `dlq.replay_id`, `dlq.replay_count` and `dlq.edited`: which letter, which replay, how often
    /// so far, and the SHA-256 of the value before its first edit.
    package enum Header {
        package static let letterID = "dlq.replay_of"
        package static let replayID = "dlq.replay_id"
        package static let count = "dlq.replay_count"
        package static let edited = "dlq.edited"
    }

    /// A name of a replay has at most so many characters, all of them visible ASCII.
    package static let replayIDBytesLimit = 128

    package var record: OutboundRecord

    /// - Parameters:
    ///   - letter: the dead letter; where it only points at its record, the record itself.
    ///   - facts: what the letter's headers say.
    ///   - letterID: names the letter.
    ///   - replayID: names this replay. The worker's outcome repeats it.
    ///   - edited: the value to send instead; nil sends the letter's.
    ///   - partitionCount: how many partitions `topic` has. A number that it does not have is left to the key.
    package init(
        of letter: borrowing InboundRecord,
        _ facts: DeadLetterFacts,
        letterID: String,
        to topic: String,
        replayID: String,
        edited: [UInt8]? = nil,
        timestamp: TimestampPolicy = .original,
        partition: PartitionPolicy = .original,
        partitionCount: Int? = nil
    ) {
        var headers = letter.headers.filter { !DeadLetterFacts.isNotice($0.name, of: facts.dialect) }
        let count = min(facts.replayCount + 1, DeadLetterFacts.replayCountLimit)
        headers.append(RecordHeader(Header.letterID, letterID))
        headers.append(RecordHeader(Header.replayID, replayID))
        headers.append(RecordHeader(Header.count, String(count)))
        if let digest = Self.digest(of: letter, facts, isEdited: edited != nil) {
            headers.append(RecordHeader(Header.edited, digest))
        }
        self.record = OutboundRecord(
            topic: topic,
            key: Self.key(of: letter, facts.dialect),
            value: edited ?? letter.value,
            headers: headers,
            partition: partition == .original ? Self.partition(facts, of: partitionCount) : nil,
            timestamp: timestamp == .original ? facts.originalTimestamp ?? letter.timestamp : nil
        )
    }

    private static func partition(_ facts: DeadLetterFacts, of count: Int?) -> Int32? {
        facts.sourcePartition.flatMap { Int($0) < count ?? .max ? $0 : nil }
    }

    /// Of the value before its first edit, whichever replay that was.
    private static func digest(
        of letter: borrowing InboundRecord,
        _ facts: DeadLetterFacts,
        isEdited: Bool
    ) -> String? {
        if facts.editedSHA256 != nil || !isEdited { return facts.editedSHA256 }
        return letter.value.map { String(decoding: Digest.sha256.hexadecimal($0), as: UTF8.self) }
            ?? facts.omission?.valueSHA256
            ?? String(decoding: Digest.sha256.hexadecimal([]), as: UTF8.self)
    }

    /// Karafka before its version 2.4 put the partition's number where the key was, and the key into a header, an
    /// absent one as nothing.
    private static func key(of letter: borrowing InboundRecord, _ dialect: DeadLetterDialect) -> [UInt8]? {
        guard dialect == .karafka, let key = letter.header("original_key") else { return letter.key }
        return key.isEmpty ? nil : key
    }
}

extension InboundRecord {
    /// What says which replay the record is of, for its outcome to repeat; nil where nothing does that can be
    /// believed.
    package var replayHeader: RecordHeader? {
        guard !self.headers.isEmpty, let id = self.header(ReplayedRecord.Header.replayID),
            1...ReplayedRecord.replayIDBytesLimit ~= id.count, id.allSatisfy(\.isVisible)
        else { return nil }
        return RecordHeader(ReplayedRecord.Header.replayID, id)
    }
}
