import Records
import Testing
import WireFormats

@testable import DeadLetters

/// The fields that the command line and the pages show alike.
@Suite struct MaskedLetterTests {
    private static let mark = KeyedMark(salt: "salt")
    private static let quote = "no such customer: Anna"

    private static func letter(
        _ headers: [RecordHeader],
        key: [UInt8]? = Array("anna\u{1B}".utf8),
        readable: ReadablePolicy = .strict,
        isRevealed: Bool
    ) -> MaskedLetter {
        let record = InboundRecord(
            topic: "orders.dead-letter",
            partition: 0,
            offset: 1,
            key: key,
            value: Array(#"{"name":"Anna"}"#.utf8),
            headers: headers
        )
        let detail = LetterDetail(
            view: Letters.view(),
            record: record,
            facts: DeadLetterFacts(HeaderBlock(headers)),
            payload: DeadLetterPayload(of: record),
            standing: nil,
            replays: [],
            successors: [],
            predecessor: nil
        )
        return MaskedLetter(
            detail: detail,
            mask: LetterMask(mark: Self.mark, readable: readable),
            isRevealed: isRevealed
        )
    }

    private static func brokers(_ isRevealed: Bool) -> MaskedLetter {
        self.letter(
            [
                RecordHeader("__dlq.errors.topic", "orders"),
                RecordHeader("__dlq.errors.message", Self.quote),
                RecordHeader("x-user", "Anna"), RecordHeader("empty", ""), RecordHeader("none", nil),
            ],
            isRevealed: isRevealed
        )
    }

    @Test func whatIsOfSomebodyIsAMark() {
        let letter = Self.brokers(false)
        let mark = Self.mark.text(Array(Self.quote.utf8))
        #expect(letter.key() == Self.mark.text(Array("anna\u{1B}".utf8)))
        #expect(letter.message == mark)
        #expect(
            letter.headers() == [
                .init(name: "__dlq.errors.topic", value: "orders"),
                .init(name: "__dlq.errors.message", value: mark),
                .init(name: "x-user", value: Self.mark.text(Array("Anna".utf8))),
                .init(name: "empty", value: ""), .init(name: "none", value: nil),
            ]
        )
        #expect(!letter.payload.lines().joined().contains("Anna") && letter.dump == nil)
    }

    @Test func whoeverHasSaidWhySeesItAsItIs() {
        let letter = Self.brokers(true)
        #expect(letter.key() == "anna\\u{1b}" && letter.message == Self.quote)
        #expect(letter.headers(atMost: 3, limit: 2).map(\.value) == ["or…", "no…", "An…"])
        #expect(letter.payload.lines().joined().contains("Anna"))
        #expect(letter.dump?.lines.count == 1)
    }

    @Test func whatOurWorkersSayIsThereToRead() {
        let letter = Self.letter(
            [
                RecordHeader("__dlq.errors.topic", "orders"), RecordHeader("__dlq.errors.message", "refused"),
                RecordHeader("dlq.reason", "gdt.-2"),
            ],
            key: nil,
            isRevealed: false
        )
        #expect(letter.message == "refused" && letter.key() == nil)
        #expect(letter.headers().map(\.value) == ["orders", "refused", "gdt.-2"])
    }

    /// Spring writes numbers as the bytes of integers; other texts of these headers stay texts.
    @Test func springsBinaryNumbersAreShownAsNumbers() {
        let headers: [(name: String, value: [UInt8], shown: String)] = [
            ("kafka_dlt-original-topic", Array("orders".utf8), "orders"),
            ("kafka_dlt-original-partition", [0, 0, 0, 2], "2 (32-bit integer)"),
            ("kafka_dlt-original-offset", [0, 0, 0, 0, 0, 0, 1, 4], "260 (64-bit integer)"),
            ("retry_topic-attempts", [3], "3 (8-bit integer)"),
            ("kafka_deliveryAttempt", Array("17".utf8), "17"),
        ]
        for isRevealed in [false, true] {
            let letter = Self.letter(headers.map { RecordHeader($0.name, $0.value) }, isRevealed: isRevealed)
            #expect(letter.headers().map(\.value) == headers.map(\.shown))
        }
    }

    @Test func aLongValueIsWrittenInPart() {
        let dump = HexDump([UInt8](repeating: 0x41, count: 10_000))
        #expect(dump.lines.count == 256 && dump.left == 5_904)
        #expect(dump.lines[255].hasPrefix("000ff0  41 41") && dump.lines[255].hasSuffix("  AAAAAAAAAAAAAAAA"))
        #expect(HexDump([]).lines.isEmpty && HexDump([]).left == 0)
    }
}
