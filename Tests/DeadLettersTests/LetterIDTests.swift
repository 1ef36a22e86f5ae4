import Records
import Testing
import WireFormats

@testable import DeadLetters

@Suite struct LetterIDTests {
    private static let position = LetterPosition(topic: "orders.dead-letter", partition: 2, offset: 11)

    private static func id(_ headers: [RecordHeader], clusterID: String = Letters.clusterID) -> LetterID {
        LetterID(of: Letters.facts(headers), at: Self.position, clusterID: clusterID)
    }

    /// The id of a letter that has no id which can be believed.
    private static var byPosition: LetterID { Self.id([]) }

    @Test func aClaimThatFitsItsSourceIsBelieved() {
        let notice = Letters.notice(42)
        #expect(Self.id(notice.headers).description == notice.id)
        #expect(Self.id(notice.headers) != Self.byPosition)
    }

    static let lies: [(String, [RecordHeader])] = [
        ("somebody else's id", [RecordHeader("dlq.id", Letters.notice(43).id)]),
        ("another offset", [RecordHeader("__dlq.errors.offset", "43")]),
        ("another partition", [RecordHeader("__dlq.errors.partition", "1")]),
        ("another topic", [RecordHeader("__dlq.errors.topic", "payments")]),
        ("another group", [RecordHeader("__dlq.errors.group", "other")]),
        ("another time", [RecordHeader("dlq.original_timestamp", "2026-11-20T00:00:00Z")]),
        ("no offset", [RecordHeader("__dlq.errors.offset", "many")]),
        ("no group", [RecordHeader("__dlq.errors.group", [])]),
        ("no id", [RecordHeader("dlq.id", "dl-")]),
        ("capitals", [RecordHeader("dlq.id", Letters.notice(42).id.uppercased())]),
    ]

    /// The last header of a name is the one that counts, so a lie goes to the end.
    @Test(arguments: lies)
    func alyingIDFallsBackToThePosition(_ name: String, _ lie: [RecordHeader]) {
        #expect(Self.id(Letters.notice(42).headers + lie) == Self.byPosition, "\(name)")
    }

    /// Workers made ids without the timestamp once, and their letters are still there.
    @Test func anIDWithoutTheTimestampIsBelieved() {
        var source = Letters.notice(42).source
        source.timestamp = nil
        let older = Letters.notice(42).headers + [RecordHeader("dlq.id", source.deadLetterID)]
        #expect(Self.id(older).description == source.deadLetterID)
    }

    @Test func anotherClustersLetterIsCalledByItsPosition() {
        #expect(Self.id(Letters.notice(42).headers, clusterID: "c2") == Self.id([], clusterID: "c2"))
        #expect(Self.id([], clusterID: "c2") != Self.byPosition)
    }

    @Test func aletterWithoutAnIDIsCalledByItsPosition() {
        let elsewhere = [
            LetterPosition(topic: "orders.dead-letter", partition: 2, offset: 12),
            LetterPosition(topic: "orders.dead-letter", partition: 3, offset: 11),
            LetterPosition(topic: "orders.dead-letters", partition: 2, offset: 11),
        ]
        let ids = elsewhere.map { LetterID(of: Letters.facts([]), at: $0, clusterID: Letters.clusterID) }
        #expect(Set(ids + [Self.byPosition]).count == 4)
    }

    /// The index makes ids by another way than everybody else, for it makes a million of them.
    @Test func theIndexCallsLettersTheSame() {
        var marker = LetterMarker(clusterID: Letters.clusterID, mark: KeyedMark(salt: "salt"))
        for (_, lie) in Self.lies + [("none", [])] {
            let facts = Letters.facts(Letters.notice(42).headers + lie)
            let id = marker.id(LetterClaim(facts, clusterID: Letters.clusterID), at: Self.position)
            #expect(id == LetterID(of: facts, at: Self.position, clusterID: Letters.clusterID))
        }
        #expect(marker.id(nil, at: Self.position) == Self.byPosition)
    }

    @Test(arguments: [
        ("dl-00000000000000000000000000000000", Int64(0), Int64(0)),
        ("dl-ffffffffffffffff8000000000000000", -1, .min),
        ("dl-7fffffffffffffff0000000000000001", .max, 1),
    ])
    func readsWhatItWrites(text: String, high: Int64, low: Int64) {
        #expect(LetterID(text) == LetterID(high: high, low: low))
        #expect(LetterID(high: high, low: low).description == text)
    }

    @Test(arguments: [
        "", "dl-", "00000000000000000000000000000000", "dl-0000000000000000000000000000000",
        "dl-000000000000000000000000000000000", "dl-0000000000000000000000000000000G",
        "dl-0000000000000000000000000000000F", "DL-00000000000000000000000000000000",
        "dl-000000000000000\u{1B}0000000000000000", "dl-0000000000000000000000000000000\u{E9}",
    ])
    func refusesWhatIsNoID(text: String) {
        #expect(LetterID(text) == nil)
    }
}
