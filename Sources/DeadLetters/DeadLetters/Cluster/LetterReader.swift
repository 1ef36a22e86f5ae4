import Kafka
import Records
import WireFormats

/// Turns the records of a topic of dead letters into rows of the index. Reuses the memory of the headers from
/// record to record.
struct LetterReader {
    private let clusterID: String
    private var headers = HeaderBlock()

    init(clusterID: String) { self.clusterID = clusterID }

    /// Returns the row of a letter, its group, and the word by which the letter says whether a replay can
    /// help.
    ///
    /// - Parameter partition: the row id of the partition in the index.
    mutating func row(
        of record: borrowing RecordView,
        in topic: String,
        partition: Int64
    ) -> (row: LetterRow, group: LetterGroup, replayable: String?) {
        record.readHeaders(into: &self.headers)
        let facts = DeadLetterFacts(self.headers)
        let position = LetterPosition(topic: topic, partition: record.partition, offset: record.offset)
        let group = LetterGroup(
            topic: topic,
            worker: facts.worker ?? facts.sourceGroup ?? "",
            kind: facts.kind,
            reason: facts.reason,
            dialect: facts.dialect.rawValue,
            field: facts.field ?? ""
        )
        let row = LetterRow(
            partition: partition,
            position: position,
            claim: LetterClaim(facts, clusterID: self.clusterID),
            at: Self.time(of: record.timestamp, facts),
            first: facts.firstFailedAt,
            key: record.key,
            source: Self.source(of: facts),
            attempts: facts.attempts,
            status: facts.upstreamStatus,
            bytes: record.valueByteCount,
            replays: facts.replayCount,
            replay: facts.replayID,
            record: facts.replayID == nil ? SettledRecord() : Self.record(of: facts, self.headers)
        )
        return (row, group, facts.replayable?.rawValue)
    }

    /// Returns the time at which a letter was written, in milliseconds since 1970.
    ///
    /// The record's own timestamp comes from the broker or the producer; a header may hold any number. The
    /// time is limited to the years of RFC 3339, so that sums with it do not overflow.
    static func time(of timestamp: Int64?, _ facts: DeadLetterFacts) -> Int64 {
        min(max(timestamp ?? facts.failedAt ?? 0, RFC3339.range.lowerBound), RFC3339.range.upperBound)
    }

    /// Returns the record that died, as a letter that names a replay tells it.
    private static func record(of facts: DeadLetterFacts, _ headers: HeaderBlock) -> SettledRecord {
        SettledRecord(
            topic: facts.sourceTopic,
            partition: facts.sourcePartition,
            offset: facts.sourceOffset,
            origin: headers.value("flotilla.origin").map { Array($0) },
            pushOrigin: headers.value("flotilla.push.origin").map { Array($0) },
            isForeign: facts.dialect != .flotilla
        )
    }

    /// Returns the position of the dead record, as far as the letter's headers name it.
    private static func source(of facts: DeadLetterFacts) -> LetterRow.Source? {
        facts.sourceTopic.map {
            LetterRow.Source(topic: $0, partition: facts.sourcePartition, offset: facts.sourceOffset)
        }
    }
}
