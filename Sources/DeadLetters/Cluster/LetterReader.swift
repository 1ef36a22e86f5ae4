import Kafka
import Records
import WireFormats

/// Reads the letters of one partition, record by record, into rows of the index.
struct LetterReader {
    private let clusterID: String
    private var headers = HeaderBlock()

    init(clusterID: String) { self.clusterID = clusterID }

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
            dialect: facts.dialect.rawValue
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
            replay: facts.replayID
        )
        return (row, group, facts.replayable?.rawValue)
    }

    /// When a letter was written. The record's own time is the broker's or its producer's; what a header says may be
    /// anything. What is counted with has to leave room for that.
    static func time(of timestamp: Int64?, _ facts: DeadLetterFacts) -> Int64 {
        min(max(timestamp ?? facts.failedAt ?? 0, RFC3339.range.lowerBound), RFC3339.range.upperBound)
    }

    private static func source(of facts: DeadLetterFacts) -> LetterRow.Source? {
        facts.sourceTopic.map {
            LetterRow.Source(topic: $0, partition: facts.sourcePartition, offset: facts.sourceOffset)
        }
    }
}
