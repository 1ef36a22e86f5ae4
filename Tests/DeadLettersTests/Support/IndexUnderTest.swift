import Foundation
import GRDB
import Kafka
import Records
import WireFormats
import WorkerTestSupport

@testable import DeadLetters

/// An index in a folder of its own, and the letters that a test puts into it.
final class IndexUnderTest {
    let folder: TemporaryFolder
    let index: LetterIndex
    let mark = KeyedMark(salt: "salt")

    init() throws {
        self.folder = try TemporaryFolder()
        self.index = try LetterIndex(path: Self.path(in: self.folder), mark: self.mark)
    }

    static func path(in folder: TemporaryFolder) -> String {
        folder.url.appendingPathComponent("index.sqlite").path
    }

    var path: String { Self.path(in: self.folder) }

    /// A letter on its way into the index.
    struct Letter {
        var position: LetterPosition
        /// Names the letter, by the offset of the record that died; nil for one that its position names.
        var source: Int64?
        /// The timestamp of the record that died.
        var publishedAt = Letters.start
        var group: LetterGroup
        var at = Letters.start
        var key: [UInt8]?
        var replayable: String?
        /// The replay that it died of, and how many there were before, as its headers say.
        var replay: String?
        var replays = 0

        var id: LetterID { LetterID(of: self.facts, at: self.position, clusterID: Letters.clusterID) }

        var facts: DeadLetterFacts {
            self.source.map { Letters.facts(Letters.notice($0, publishedAt: self.publishedAt).headers) }
                ?? Letters.facts([])
        }

        func row(_ partition: Int64) -> LetterRow {
            LetterRow(
                partition: partition,
                position: self.position,
                claim: LetterClaim(self.facts, clusterID: Letters.clusterID),
                at: self.at,
                key: self.key,
                source: self.source.map { LetterRow.Source(topic: "orders", partition: 0, offset: $0) },
                replays: self.replays,
                replay: self.replay,
                record: SettledRecord(
                    topic: self.source.map { _ in "orders" },
                    partition: 0,
                    offset: self.source,
                    origin: nil,
                    pushOrigin: nil
                )
            )
        }
    }

    static func letter(
        _ offset: Int64,
        source: Int64? = nil,
        topic: String = "orders.dead-letter",
        partition: Int32 = 0,
        reason: String = "gdt.-2"
    ) -> Letter {
        Letter(
            position: LetterPosition(topic: topic, partition: partition, offset: offset),
            source: source,
            group: LetterGroup(
                topic: topic,
                worker: "activation-worker",
                kind: "rejected",
                reason: reason,
                dialect: "flotilla"
            )
        )
    }

    func stand(_ topic: String, _ partition: Int32, from start: Int64 = 0) throws -> LetterIndex.Stand {
        let partition = TopicPartition(topic: topic, partition: partition)
        guard let stand = try self.index.stands(of: [partition: start])[partition] else {
            throw DatabaseError(message: "no stand")
        }
        return stand
    }

    /// Letters of one partition, as one intake takes them in.
    func take(_ letters: [Letter]) throws {
        let intake = try self.begin(letters)
        try intake.finish()
    }

    /// An intake with these letters, which the caller has to finish.
    func begin(_ letters: [Letter], at known: LetterIndex.Stand? = nil) throws -> LetterIntake {
        let intake = LetterIntake(self.index, clusterID: Letters.clusterID, mark: self.mark)
        guard let first = letters.first, let last = letters.last else { return intake }
        let stand = try known ?? self.stand(first.position.topic, first.position.partition)
        for letter in letters {
            intake.add(letter.row(stand.id), to: letter.group, replayable: letter.replayable)
        }
        try intake.write([stand.id: stand.next...(last.position.offset + 1)])
        return intake
    }

    func ledger(_ entries: LedgerEntry...) throws { try self.index.write(entries.map(LedgerNews.entry), [:]) }

    func endings(_ endings: (String, String)...) throws {
        try self.index.write(endings.compactMap { Self.outcome($0, $1) }, [:])
    }

    /// An outcome that names the place of its record.
    func ending(_ replay: String, _ fate: String, of record: LetterPosition) throws {
        try self.index.write([Self.outcome(replay, fate, of: record)].compactMap(\.self), [:])
    }

    /// The outcome that a worker publishes for a record that it was sent again.
    static func outcome(_ replay: String, _ fate: String, of record: LetterPosition? = nil) -> ReplayOutcome?
    {
        let place = record.map {
            #""topic":"\#($0.topic)","partition":\#($0.partition),"offset":"\#($0.offset)","#
        }
        return ReplayOutcome(
            InboundRecord(
                topic: "orders.result",
                partition: 0,
                offset: 0,
                value: Array(#"{"outcome":{\#(place ?? "")"fate":"\#(fate)"}}"#.utf8),
                headers: [
                    RecordHeader("content-type", "application/json"), RecordHeader("dlq.replay_id", replay),
                ]
            )
        )
    }

    func states(_ filter: LetterFilter = LetterFilter()) throws -> [LetterState] {
        try self.index.letters(filter, mark: self.mark, limit: 10_000).map(\.state)
    }

    func letters(_ filter: LetterFilter = LetterFilter()) throws -> [LetterView] {
        try self.index.letters(filter, mark: self.mark, limit: 10_000)
    }

    func groups(_ filter: LetterFilter = LetterFilter(), now: Int64 = Letters.start) throws -> [GroupView] {
        try self.index.groups(filter, mark: self.mark, now: now).groups
    }

    /// A group's letters of one hour.
    struct Bucket: Hashable, Comparable {
        var group: Int64
        var hour: Int64
        var count: Int64
        var open: Int64

        static func < (left: Self, right: Self) -> Bool {
            (left.group, left.hour) < (right.group, right.hour)
        }
    }

    /// As the index keeps count.
    func buckets() throws -> [Bucket] {
        try self.buckets("SELECT grp, hour, count, open FROM buckets")
    }

    /// As its letters add up.
    func recount() throws -> [Bucket] {
        try self.buckets(
            """
            SELECT grp, at / 3600000, count(*), sum(state = 0) FROM letters WHERE repeat = 0 GROUP BY 1, 2
            """
        )
    }

    private func buckets(_ sql: String) throws -> [Bucket] {
        try self.index.pool.read { database in
            try Row.fetchAll(database, sql: sql).map { row in
                Bucket(group: row[0], hour: row[1], count: row[2], open: row[3])
            }
        }.sorted()
    }
}
