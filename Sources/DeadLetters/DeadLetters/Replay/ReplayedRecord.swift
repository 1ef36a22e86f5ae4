import Cryptography
package import Records
import WireFormats

/// The record that a replay publishes: the failed record's key, value and own headers, as they were and in
/// their order, and headers that name the replay.
///
/// The replay of one of our letters also names the record that failed, in `flotilla.origin`, unless a header
/// names an origin already. A worker makes the name of a report of it, so an upstream that recognises a repeat
/// also recognises the replay's.
package struct ReplayedRecord: Hashable, Sendable {
    /// The choice of the replayed record's timestamp. A worker's deadline counts from it.
    package enum TimestampPolicy: String, Hashable, Sendable, CaseIterable {
        /// The timestamp of the record that failed; the letter's own timestamp if no header states it.
        case original
        /// The time at which the replayed record is sent.
        case now
    }

    /// The choice of the replayed record's partition.
    package enum PartitionPolicy: String, Hashable, Sendable, CaseIterable {
        /// The partition that the failed record was in, so that records without a key keep their order too.
        case original
        /// The partition that the hash of the key gives, as for any publisher.
        case byKey = "by_key"
    }

    /// The record to publish.
    package var record: OutboundRecord

    /// Makes the record that replays a dead letter.
    ///
    /// - Parameters:
    ///   - letter: the dead letter; if the letter only points at its record, the record itself.
    ///   - facts: the facts of the letter's headers.
    ///   - letterID: the id of the letter, for `dlq.replay_of`.
    ///   - replayID: the id of this replay. The worker's outcome repeats it.
    ///   - edited: the value to send instead; nil sends the letter's.
    ///   - partitionCount: how many partitions `topic` has; nil if that is unknown. If the original partition
    ///     does not exist there, the key's hash decides.
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
        headers.append(RecordHeader(ReplayHeader.letterID, letterID))
        headers.append(RecordHeader(ReplayHeader.replayID, replayID))
        headers.append(RecordHeader(ReplayHeader.count, String(count)))
        if let digest = Self.digest(of: letter, facts, isEdited: edited != nil) {
            headers.append(RecordHeader(ReplayHeader.edited, digest))
        }
        if let place = Self.place(facts), letter.originHeaders.isEmpty {
            headers.append(RecordHeader(RecordOrigin.header, place))
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

    /// Returns the place of the record that failed. Only our own letters tell the place that a worker has named
    /// its reports by.
    private static func place(_ facts: DeadLetterFacts) -> String? {
        guard facts.dialect == .flotilla, let topic = facts.sourceTopic,
            let partition = facts.sourcePartition,
            let offset = facts.sourceOffset
        else { return nil }
        return RecordOrigin.place(topic, partition, offset: offset)
    }

    private static func partition(_ facts: DeadLetterFacts, of count: Int?) -> Int32? {
        facts.sourcePartition.flatMap { Int($0) < count ?? .max ? $0 : nil }
    }

    /// Returns the SHA-256 of the value before its first edit, whichever replay made that edit; nil if the
    /// value was never edited.
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

    /// Returns the record's own key. Karafka before its version 2.4 replaced the key by the partition's
    /// number and kept the key in the header `original_key`, an absent key as an empty value.
    private static func key(of letter: borrowing InboundRecord, _ dialect: DeadLetterDialect) -> [UInt8]? {
        guard dialect == .karafka, let key = letter.header("original_key") else { return letter.key }
        return key.isEmpty ? nil : key
    }
}
