import Operations
import Records
import WireFormats

@testable import DeadLetters

/// Dead letters as a worker writes them.
enum Letters {
    static let clusterID = "c1"
    /// 2026-11-21, at the full hour.
    static let start: Int64 = 1_795_248_000_000

    static func notice(
        _ number: Int64,
        from topic: String = "orders",
        clusterID: String = Letters.clusterID,
        reason: String = "gdt.-2",
        replayable: DeadLetter.Replayable = .yes,
        publishedAt: Int64 = Letters.start
    ) -> DeadLetterNotice {
        DeadLetterNotice(
            source: .init(
                clusterID: clusterID,
                topic: topic,
                partition: 0,
                offset: number,
                group: "activation-worker",
                timestamp: publishedAt
            ),
            kind: .rejected,
            reason: Reason(reason, "could not be parsed"),
            replayable: replayable,
            attempts: 3,
            firstFailedAt: Letters.start + 1_000,
            failedAt: Letters.start + 2_000,
            worker: "activation-worker",
            workerVersion: "0.1.0"
        )
    }

    static func facts(_ headers: [RecordHeader]) -> DeadLetterFacts { DeadLetterFacts(HeaderBlock(headers)) }

    /// A letter about the record at this offset of its topic.
    static func record(
        _ number: Int64,
        in letters: String = "orders.dead-letter",
        partition: Int32 = 0,
        from topic: String = "orders",
        clusterID: String,
        reason: String = "gdt.-2",
        value: [UInt8]? = nil,
        headers: [RecordHeader] = [],
        limit: Int = 1_000_000
    ) -> OutboundRecord {
        let dead = InboundRecord(
            topic: topic,
            partition: 0,
            offset: number,
            key: Array("key-\(number)".utf8),
            value: value ?? Array(#"{"number":\#(number)}"#.utf8),
            headers: [RecordHeader("content-type", "application/json")] + headers
        )
        return Self.notice(number, from: topic, clusterID: clusterID, reason: reason)
            .record(of: dead, to: letters, partition: partition, encodedBytesLimit: limit)
    }

    static func view(
        source: LetterPosition? = LetterPosition(topic: "orders", partition: 0, offset: 7),
        replays: Int = 0,
        replayable: String? = "yes"
    ) -> LetterView {
        LetterView(
            id: LetterID(high: 1, low: 2),
            position: LetterPosition(topic: "orders.dead-letter", partition: 0, offset: 1),
            group: LetterGroup(
                topic: "orders.dead-letter",
                worker: "w",
                kind: "rejected",
                reason: "r",
                dialect: "flotilla"
            ),
            mark: "g-0123456789",
            state: .open,
            at: Letters.start,
            replays: replays,
            replayable: replayable
        )
        .from(source)
    }
}

extension LetterView {
    fileprivate func from(_ source: LetterPosition?) -> LetterView {
        var view = self
        view.source = source
        view.sourceTopic = source?.topic
        return view
    }
}

extension LedgerEntry {
    static func replayed(_ letter: LetterID, _ replay: String, at: Int64 = Letters.start) -> LedgerEntry {
        LedgerEntry(
            letter: letter,
            action: .replayed,
            position: LetterPosition(topic: "orders.dead-letter", partition: 0, offset: 0),
            replay: replay,
            batch: "r-0000000001",
            replays: 1,
            by: "anna",
            because: "mended",
            at: at,
            target: "orders",
            edited: nil
        )
    }

    static func discarded(_ letter: LetterID) -> LedgerEntry {
        var entry = Self.replayed(letter, "")
        entry.action = .discarded
        entry.replay = nil
        entry.target = nil
        return entry
    }

    /// As somebody reads it from the ledger.
    func read(_ change: (inout InboundRecord) -> Void = { _ in }) throws -> LedgerEntry? {
        let record = try self.record(to: "ledger")
        var read = InboundRecord(
            topic: "ledger",
            partition: 0,
            offset: 0,
            key: record.key,
            value: record.value
        )
        change(&read)
        return LedgerEntry(read)
    }
}

extension KeyedMark {
    init(salt: String) { self.init(salt: Secret(salt)) }
}
