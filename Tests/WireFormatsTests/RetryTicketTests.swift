import Records
import Testing

@testable import WireFormats

@Suite struct RetryTicketTests {
    private static let now: Int64 = 1_795_248_000_000

    private static let original = InboundRecord(
        topic: "activation",
        partition: 3,
        offset: 1_042,
        timestamp: Self.now - 5_000,
        key: Array("install-42".utf8),
        value: Array("{}".utf8),
        headers: [RecordHeader("content-type", "application/json"), RecordHeader("x-empty", nil as [UInt8]?)]
    )

    private static func ticket(
        of record: InboundRecord = Self.original,
        reason: String = "http.503",
        from: String = "activation/3/1042"
    ) -> RetryTicket {
        RetryTicket(
            of: record,
            attempts: 4,
            failures: 2,
            receivedAt: Self.now - 4_000,
            firstFailedAt: Self.now - 3_000,
            reason: reason,
            due: Self.now + 60_002,
            notBefore: Self.now + 90_002,
            from: from,
            place: "0123456789abcdef"
        )
    }

    private static let headers = Self.ticket().headers

    private static func headers(with value: [UInt8]?, for name: String) -> [RecordHeader] {
        self.headers.map { $0.name == name ? RecordHeader(name, value) : $0 }
    }

    // MARK: Round trips

    @Test func aTicketIsReadAsItWasWritten() {
        #expect(RetryTicket(Self.headers) == Self.ticket())
        #expect(RetryTicket(Self.headers.reversed()) == Self.ticket())
    }

    @Test func aRecordComesBackAsItsPublisherWroteIt() {
        let copy = Self.ticket().record(of: Self.original, to: "activation.retry.60s", partition: 1)
        #expect(copy.topic == "activation.retry.60s")
        #expect(copy.partition == 1)
        let read = InboundRecord(
            topic: copy.topic,
            partition: 1,
            offset: 7,
            timestamp: Self.now,
            key: copy.key,
            value: copy.value,
            headers: copy.headers
        )
        #expect(RetryTicket(read.headers)?.original(of: read) == Self.original)
    }

    @Test func aTicketTakesThePlaceOfAnyThatIsThere() {
        var carrier = Self.original
        carrier.headers = [RecordHeader("flotilla.retry.from", "elsewhere")] + carrier.headers + Self.headers
        carrier.headers.append(RecordHeader("flotilla.retry.of_a_later_version", "1"))
        let copy = Self.ticket().record(of: carrier, to: "activation.retry.60s", partition: 0)
        #expect(copy.headers == Self.original.headers + Self.headers)
    }

    @Test(arguments: [nil, 0, -5, .min, .max] as [Int64?])
    func aTimestampOfAnyKindStays(timestamp: Int64?) {
        var record = Self.original
        record.timestamp = timestamp
        #expect(RetryTicket(Self.ticket(of: record).headers)?.timestamp == .some(timestamp))
    }

    /// The longest name that a topic can have, with its numbers, was longer than what was read again: the copy's own
    /// writer would have dead-lettered it as somebody else's.
    @Test func theLongestNameOfATopicIsRead() {
        var record = Self.original
        record.topic = String(repeating: "t", count: 249)
        (record.partition, record.offset) = (.max, .max)
        let ticket = Self.ticket(of: record, from: "\(record.topic)/\(Int32.max)/\(Int64.max)")
        #expect(RetryTicket(ticket.headers) == ticket)
    }

    /// A reason has no limit where it is made. It is cut between characters, and the ticket can still be read.
    @Test(arguments: ["r", "é", "\u{1F600}", "e\u{301}"])
    func aLongReasonIsCut(piece: String) throws {
        let reason = String(repeating: piece, count: 600)
        let read = try #require(RetryTicket(Self.ticket(reason: reason).headers))
        #expect(read.reason.utf8.count <= RetryTicket.textBytesLimit)
        #expect(read.reason.utf8.count > RetryTicket.textBytesLimit - 4)
        #expect(reason.unicodeScalars.starts(with: read.reason.unicodeScalars))
        #expect(RetryTicket(read.headers) == read)
    }

    // MARK: Tickets that nobody can read

    @Test func whatHasNoTicketHasNone() {
        #expect(RetryTicket([]) == nil)
        #expect(RetryTicket(Self.original.headers) == nil)
        #expect(RetryTicket(Self.headers.map { RecordHeader("x." + $0.name, $0.value) }) == nil)
    }

    @Test(arguments: headers.map(\.name))
    func aTicketIsWholeOrNone(name: String) {
        let rest = Self.headers.filter { $0.name != name }
        // A record need not have a timestamp, and a ticket of an earlier version has no place.
        #expect((RetryTicket(rest) != nil) == ["timestamp", "place"].contains(name.dropFirst(15)))
        #expect(RetryTicket(Self.headers(with: nil, for: name)) == nil)
    }

    /// It would be a matter of taste which of the two is meant.
    @Test(arguments: headers)
    func aTicketSaysNothingTwice(header: RecordHeader) {
        #expect(RetryTicket(Self.headers + [header]) == nil)
        #expect(RetryTicket([RecordHeader(header.name, "0")] + Self.headers) == nil)
    }

    @Test(
        arguments: headers.map(\.name).filter {
            !["topic", "reason", "from", "place"].contains($0.dropFirst(15))
        },
        ["", " 7", "7 ", "seven", "7.0", "1e3", "0x7", "7\0", "\u{0667}", "9223372036854775808"]
    )
    func aNumberIsANumber(name: String, text: String) {
        #expect(RetryTicket(Self.headers(with: Array(text.utf8), for: name)) == nil)
    }

    @Test(
        arguments: [
            "partition", "offset", "attempts", "failures", "received_at", "first_failed_at", "due",
            "not_before",
        ]
    )
    func aNumberIsNotNegative(name: String) {
        #expect(RetryTicket(Self.headers(with: Array("-1".utf8), for: "flotilla.retry." + name)) == nil)
        #expect(RetryTicket(Self.headers(with: Array("0".utf8), for: "flotilla.retry." + name)) != nil)
    }

    /// A worker that had called as often as an Int can say would have ended with the next call.
    @Test(arguments: ["partition", "attempts", "failures"])
    func aCountHasABound(name: String) {
        let (most, more) = ("\(Int32.max)", "\(Int64(Int32.max) + 1)")
        #expect(RetryTicket(Self.headers(with: Array(most.utf8), for: "flotilla.retry." + name)) != nil)
        #expect(RetryTicket(Self.headers(with: Array(more.utf8), for: "flotilla.retry." + name)) == nil)
        let all = Array("\(Int.max)".utf8)
        #expect(RetryTicket(Self.headers(with: all, for: "flotilla.retry." + name)) == nil)
    }

    @Test(arguments: ["topic", "reason", "from", "of_a_later_version"])
    func aTextHasABound(name: String) {
        let name = "flotilla.retry." + name
        let others = Self.headers.filter { $0.name != name }
        let most = [UInt8](repeating: 0x61, count: RetryTicket.textBytesLimit)
        #expect(RetryTicket(others + [RecordHeader(name, most)]) != nil)
        #expect(RetryTicket(others + [RecordHeader(name, most + [0x61])]) == nil)
    }

    @Test(arguments: [[0xFF], [0xC3], [0xED, 0xA0, 0x80]] as [[UInt8]])
    func aTextIsUTF8(bytes: [UInt8]) {
        #expect(RetryTicket(Self.headers(with: bytes, for: "flotilla.retry.reason")) == nil)
    }

    // MARK: Whose headers they are

    @Test func whatOthersWriteIsOfNoConcern() {
        let foreign = [
            RecordHeader("flotilla.retryable", String(repeating: "x", count: 4_000)),
            RecordHeader("FLOTILLA.RETRY.TOPIC", "other"), RecordHeader("", nil as [UInt8]?),
            RecordHeader("topic", "other"),
        ]
        #expect(RetryTicket(foreign + Self.headers + foreign) == Self.ticket())
        var record = Self.original
        record.headers = foreign + Self.headers + foreign
        #expect(Self.ticket().original(of: record).headers == foreign + foreign)
    }

    @Test func whatALaterVersionSaysIsPassedOver() {
        #expect(RetryTicket(Self.headers + [RecordHeader("flotilla.retry.colour", "red")]) == Self.ticket())
    }
}
