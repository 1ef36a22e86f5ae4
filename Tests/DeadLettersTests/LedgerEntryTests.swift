import Records
import Testing

@testable import DeadLetters

@Suite struct LedgerEntryTests {
    static let letter = LetterID(high: -1, low: 5)

    static let entries: [LedgerEntry] = {
        var edited = LedgerEntry.replayed(letter, "r-0000000001-1")
        edited.edited = String(repeating: "a", count: 64)
        edited.because = "quotes \" and \\ and \u{1B}[2J and \u{1F4A9}\u{0} and a line\nmore"
        edited.by = "anna@example.com"
        edited.position = LetterPosition(topic: "t", partition: .max, offset: .max)
        var placed = LedgerEntry.replayed(letter, "r-1")
        placed.sentTo = LetterPosition(topic: "orders", partition: 3, offset: 42)
        return [.replayed(letter, "r-1"), .discarded(letter), edited, placed]
    }()

    @Test(arguments: entries)
    func isReadAsItWasWritten(entry: LedgerEntry) throws {
        #expect(try entry.read() == entry)
        #expect(try entry.record(to: "ledger").key == Array("\(Self.letter)".utf8))
    }

    private static func read(_ value: String, key: String = "\(letter)") -> LedgerEntry? {
        LedgerEntry(
            InboundRecord(
                topic: "ledger",
                partition: 0,
                offset: 0,
                key: Array(key.utf8),
                value: Array(value.utf8)
            )
        )
    }

    private static func json(_ change: (String, String)..., tail: String = "") -> String {
        var members = [
            "version": "1", "action": #""replayed""#, "topic": #""t""#, "partition": "0", "offset": "0",
            "replay": #""r-1-1""#, "batch": #""r-1""#, "replays": "1", "by": #""anna""#, "because": #""b""#,
            "at": "1795248000000", "target": #""orders""#,
        ]
        for (name, value) in change { members[name] = value }
        return "{" + members.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",") + "}" + tail
    }

    @Test func whatIsWrittenByHandIsReadToo() {
        #expect(Self.read(Self.json())?.batch == "r-1")
        #expect(Self.read(Self.json(("new", "[1]"))) != nil)
    }

    @Test(arguments: [
        "", "{}", "null", "[]", "\u{0}\u{1}", json(("version", "2")), json(("version", "0")),
        json(("version", "\"1\"")), json(("action", #""eaten""#)), json(("partition", "2147483648")),
        json(("offset", "9223372036854775808")), json(("replays", "1.5")), json(("by", "null")),
        json(("at", "\"now\"")),
        json(("at", "-9223372036854775808")), json(("at", "9223372036854775807")), String(json().dropLast()),
        json(tail: "x"),
        json(("because", "\"\(String(repeating: "x", count: 70_000))\"")),
        String(repeating: "[", count: 60_000),
    ])
    func garbageIsNoEntry(value: String) {
        #expect(Self.read(value) == nil)
    }

    @Test func whatIsTooLongToBeReadIsNotWritten() throws {
        var entry = LedgerEntry.replayed(Self.letter, "r-1")
        entry.because = String(repeating: "x", count: 60_000)
        #expect(try entry.read() == entry)
        entry.because = String(repeating: "x", count: 70_000)
        #expect(throws: LedgerEntry.TooLong.self) { try entry.record(to: "ledger") }
    }

    @Test(arguments: ["", "dl-1", "g-0123456789", "\u{FFFD}"])
    func aRecordWithoutALettersIDIsNoEntry(key: String) {
        #expect(Self.read(Self.json(), key: key) == nil)
    }

    @Test func aRecordWithoutKeyOrValueIsNoEntry() throws {
        let entry = LedgerEntry.replayed(Self.letter, "r-1")
        #expect(try entry.read { $0.key = nil } == nil)
        #expect(try entry.read { $0.key = [0xFF, 0xFE] } == nil)
        #expect(try entry.read { $0.value = nil } == nil)
        #expect(try entry.read { $0.value = [0xFF] } == nil)
    }
}

@Suite struct AuditEntryTests {
    static let entry = AuditEntry(
        action: .replay,
        by: "anna \u{1F4A9}",
        at: Letters.start,
        because: "keys \"mended\"\n\u{1B}[2J",
        batch: "r-0000000001",
        selection: "--group g-0123456789",
        counts: ["planned": 3, "replayed": 2],
        letters: [LetterID(high: 1, low: -1), LetterID(high: .min, low: .max)]
    )

    private static func read(_ entry: AuditEntry) throws -> AuditEntry? {
        let record = try entry.record(to: "audit")
        return AuditEntry(
            InboundRecord(topic: "audit", partition: 0, offset: 0, key: record.key, value: record.value)
        )
    }

    @Test(arguments: [AuditEntry.Action.reveal, .replay, .edit, .discard, .restore, .export])
    func isReadAsItWasWritten(action: AuditEntry.Action) throws {
        var entry = Self.entry
        entry.action = action
        #expect(try Self.read(entry) == entry)
    }

    @Test func whatIsTooLongToBeReadIsNotWritten() {
        var entry = Self.entry
        entry.selection = String(repeating: "x", count: 70_000)
        #expect(throws: LedgerEntry.TooLong.self) { try entry.record(to: "audit") }
    }

    @Test func holdsTheFirstHundredLetters() throws {
        var entry = Self.entry
        entry.letters = (0..<1_000).map { LetterID(high: 0, low: $0) }
        #expect(try Self.read(entry)?.letters == Array(entry.letters.prefix(100)))
    }

    @Test(arguments: [
        "", "{}", "null", #"{"version":2}"#,
        #"{"version":2,"action":"replay","by":"","at":0,"because":"","batch":"","selection":"","counts":{},"letters":[]}"#,
        #"{"version":1,"action":"eat","by":"","at":0,"because":"","batch":"","selection":"","counts":{},"letters":[]}"#,
        #"{"version":1,"action":"replay","by":"","at":0,"because":"","batch":"","selection":"","counts":{},"letters":7}"#,
        #"{"version":1,"action":"replay","by":"","at":0,"because":""#
            + String(repeating: "x", count: 70_000)
            + #"","batch":"","selection":"","counts":{},"letters":[]}"#,
    ])
    func garbageIsNoEntry(value: String) {
        #expect(AuditEntry(json: Array(value.utf8)) == nil)
    }

    @Test func aTombstoneIsNoEntry() {
        #expect(AuditEntry(InboundRecord(topic: "audit", partition: 0, offset: 0)) == nil)
    }
}
