import DeadLetters
import FlotillaRecords
import Records
import Testing
import WorkerTestSupport

/// A reader in Swift gets from the topics of the dead-letter tool what the tool has written.
struct DeadLetterTopicsTests {
    private static let letter = LetterID(high: 1, low: -1)

    private static func record(_ written: OutboundRecord) -> Record {
        Record(topic: written.topic, key: written.key, value: written.value)
    }

    @Test func readsTheLedger() throws {
        let written = LedgerEntry(
            letter: Self.letter,
            action: .replayed,
            position: LetterPosition(topic: "activation.dead-letter", partition: 3, offset: 41),
            replay: "r-1-1",
            batch: "r-1",
            replays: 2,
            by: "anna",
            because: "keys mended",
            at: 1_795_248_000_000,
            target: "activation",
            edited: "ab"
        )
        let record = Self.record(try written.record(to: DeadLetterLedgerEntry.topic))
        let entry = try #require(DeadLetterLedgerEntry(record))
        #expect(entry.letterID == "\(Self.letter)" && entry.action == "replayed")
        #expect(entry.letterTopic == "activation.dead-letter")
        #expect((entry.letterPartition, entry.letterOffset) == (3, 41))
        #expect((entry.replayID, entry.batch, entry.replays) == ("r-1-1", "r-1", 2))
        #expect((entry.by, entry.because, entry.atMS) == ("anna", "keys mended", 1_795_248_000_000))
        #expect(entry.target == "activation" && entry.editedFrom == "ab")
        var tombstone = record
        tombstone.value = nil
        #expect(DeadLetterLedgerEntry(tombstone) == nil)
    }

    @Test func readsTheAudit() throws {
        let written = AuditEntry(
            action: .assign,
            by: "anna",
            at: 1_795_248_000_000,
            because: "she knows it",
            batch: "",
            selection: "--group g-0123456789",
            counts: ["letters": 3],
            letters: [Self.letter],
            group: "g-0123456789",
            assignee: "bert"
        )
        let record = Self.record(try written.record(to: DeadLetterAuditEntry.topic))
        let entry = try #require(DeadLetterAuditEntry(record))
        #expect((entry.action, entry.by, entry.atMS) == ("assign", "anna", 1_795_248_000_000))
        #expect((entry.because, entry.batch) == ("she knows it", ""))
        #expect(entry.selection == "--group g-0123456789" && entry.counts == ["letters": 3])
        #expect(entry.letterIDs == ["\(Self.letter)"])
        #expect((entry.group, entry.assignee) == ("g-0123456789", "bert"))
    }

    /// A later version may mean something else by the same names.
    @Test(arguments: ["", "{}", "[]", #"{"version":2}"#])
    func readsNothingElse(value: String) {
        let record = Record(topic: "t", key: Array("dl-1".utf8), value: Array(value.utf8))
        #expect(DeadLetterLedgerEntry(record) == nil && DeadLetterAuditEntry(record) == nil)
    }
}
