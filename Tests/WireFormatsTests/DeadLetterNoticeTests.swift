import Cryptography
import Records
import TestMaterial
import Testing

@testable import WireFormats

@Suite struct DeadLetterNoticeTests {
    static let notice = DeadLetterNotice.ofActivation

    @Test func saysItAll() {
        let headers = Dictionary(uniqueKeysWithValues: Self.notice.headers.map { ($0.name, Self.text($0)) })
        #expect(
            headers == [
                "__dlq.errors.topic": "activation",
                "__dlq.errors.partition": "3",
                "__dlq.errors.offset": "42",
                "__dlq.errors.group": "activation-worker",
                "__dlq.errors.delivery.count": "2",
                "__dlq.errors.message": "Illegal.",
                "dlq.id": Self.notice.id,
                "dlq.class": "rejected",
                "dlq.reason": "gdt.-1",
                "dlq.attempts": "2",
                "dlq.first_failed_at": "2026-11-21T08:00:01Z",
                "dlq.failed_at": "2026-11-21T08:00:02.500Z",
                "dlq.original_timestamp": "2026-11-21T08:00:00Z",
                "dlq.upstream": "gdt",
                "dlq.upstream_status": "200",
                "dlq.upstream_request_id": "r-1",
                "dlq.worker": "activation-worker",
                "dlq.worker_version": "1.2.3",
                "dlq.replayable": "after_fix",
            ]
        )
        #expect(Set(headers.keys).isSubset(of: DeadLetterNotice.headerNames))
    }

    @Test func leavesOutWhatThereIsNot() {
        var notice = Self.notice
        notice.source.timestamp = nil
        (notice.upstream, notice.upstreamStatus, notice.upstreamRequestID) = (nil, nil, nil)
        let names = Set(notice.headers.map(\.name))
        #expect(names.isDisjoint(with: ["dlq.original_timestamp", "dlq.upstream", "dlq.upstream_status"]))
    }

    // MARK: Identity

    @Test func hasAnIDOfItsSourceAlone() {
        let text = "2:c110:activation1:32:4217:activation-worker13:1795248000000"
        // printf "$text" | sha256sum
        #expect(Self.notice.id == "dl-" + Self.sha256(text).prefix(32))
        #expect(Self.notice.id.count == 35)
        var again = Self.notice
        (again.attempts, again.failedAt, again.reason) = (9, 0, Reason("x", "y"))
        #expect(again.id == Self.notice.id)
    }

    @Test func tellsSourcesApartThatJoinToTheSameText() {
        var ids: Set<String> = [Self.notice.source.deadLetterID]
        let changes: [(inout DeadLetterNotice.Source) -> Void] = [
            { $0.clusterID = "" }, { $0.topic = "activatio" }, { $0.partition = 34 }, { $0.offset = 2 },
            { $0.group = "n" }, { $0.timestamp = nil }, { $0.timestamp = 1 },
            { ($0.partition, $0.offset) = (34, 2) },
            { ($0.clusterID, $0.topic) = ("c", "1activation") },
            { ($0.topic, $0.partition) = ("activation3", 4) },
        ]
        for change in changes {
            var source = Self.notice.source
            change(&source)
            ids.insert(source.deadLetterID)
        }
        #expect(ids.count == changes.count + 1)
    }

    // MARK: Set, never append

    @Test func replacesAnEarlierNoticeAndLeavesTheRestInOrder() {
        let existing = [
            RecordHeader("traceparent", "t"), RecordHeader("dlq.id", "old"), RecordHeader("a", "1"),
            RecordHeader("dlq.upstream_status", "500"), RecordHeader("a", nil),
            RecordHeader("dlq.id", "older"),
            RecordHeader("dlq.replay_count", "2"), RecordHeader("DLQ.ID", "not ours"),
        ]
        var notice = Self.notice
        notice.upstreamStatus = nil
        let headers = notice.headers(over: existing)
        let kept = [existing[0], existing[2], existing[4], existing[6], existing[7]]
        #expect(Array(headers.prefix(5)) == kept)
        #expect(Array(headers.dropFirst(5)) == notice.headers)
        #expect(headers.count { $0.name == "dlq.id" } == 1)
        #expect(!headers.contains { $0.name == "dlq.upstream_status" })
        #expect(notice.headers(over: headers) == headers)
    }

    // MARK: Limits

    @Test(arguments: ["x", "é", "拒", "😀"])
    func isBounded(character: String) {
        let long = String(repeating: character, count: 20_000)
        let notice = DeadLetterNotice(
            source: .init(
                clusterID: long,
                topic: long,
                partition: .min,
                offset: .min,
                group: long,
                timestamp: .min
            ),
            kind: .undecodable,
            reason: Reason(long, long),
            replayable: .afterFix,
            attempts: .min,
            firstFailedAt: .min,
            failedAt: .max,
            upstream: long,
            upstreamStatus: .min,
            upstreamRequestID: long,
            worker: long,
            workerVersion: long
        )
        let bytes = notice.headers.reduce(0) { $0 + $1.name.utf8.count + ($1.value?.count ?? 0) }
        #expect(bytes <= DeadLetterNotice.headerBytesLimit)
        for header in notice.headers {
            let text = Self.text(header)
            #expect(!text.contains("\u{fffd}"), "\(header.name) is cut within a character")
            #expect(text.utf8.count <= 1_024)
        }
    }

    @Test(arguments: [("aé", 2, "a"), ("aé", 3, "aé"), ("😀", 3, ""), ("", 0, ""), ("abc", 2, "ab")])
    func cutsBetweenCharacters(text: String, limit: Int, expected: String) {
        #expect(DeadLetterNotice.prefix(of: text, bytesLimit: limit) == expected)
    }

    // MARK: The record

    static let dead = InboundRecord(
        topic: "activation",
        partition: 3,
        offset: 42,
        key: Array("k".utf8),
        value: [UInt8](repeating: 1, count: 5_000),
        headers: [RecordHeader("a", "1")]
    )

    @Test func keepsTheRecordUntouched() {
        let letter = Self.notice.record(of: Self.dead, to: "d", partition: 3, encodedBytesLimit: 10_000)
        #expect(letter.topic == "d")
        #expect(letter.partition == 3)
        #expect(letter.key == Self.dead.key)
        #expect(letter.value == Self.dead.value)
        #expect(letter.headers == Self.notice.headers(over: Self.dead.headers))
    }

    @Test func keepsATombstoneATombstone() {
        var dead = Self.dead
        (dead.key, dead.value) = (nil, nil)
        let letter = Self.notice.record(of: dead, to: "d", encodedBytesLimit: 10_000)
        #expect(letter.key == nil && letter.value == nil)
        #expect(!letter.headers.contains { $0.name == "dlq.value_omitted" })
    }

    @Test func pointsAtAValueThatDoesNotFit() throws {
        let letter = Self.notice.record(of: Self.dead, to: "d", encodedBytesLimit: 5_000)
        let headers = Dictionary(uniqueKeysWithValues: letter.headers.map { ($0.name, Self.text($0)) })
        #expect(letter.value == nil)
        #expect(letter.key == Self.dead.key)
        #expect(headers["a"] == "1")
        #expect(headers["dlq.value_omitted"] == "too_large")
        #expect(headers["dlq.value_bytes"] == "5000")
        #expect(headers["dlq.value_sha256"] == Self.sha256(String(repeating: "\u{1}", count: 5_000)))
        #expect(letter.encodedBytesBound <= 5_000)
        let again = Self.notice.headers(over: letter.headers)
        #expect(!again.contains { $0.name == "dlq.value_omitted" })
    }

    @Test func leavesOutHeadersAndKeyWhenItMust() {
        var dead = Self.dead
        dead.headers = [RecordHeader("big", [UInt8](repeating: 1, count: 5_000))]
        let withKey = Self.notice.record(of: dead, to: "d", encodedBytesLimit: 3_000)
        #expect(withKey.key == dead.key)
        #expect(withKey.headers.contains { $0.name == "dlq.headers_omitted" })
        #expect(withKey.encodedBytesBound <= 3_000)
        dead.key = [UInt8](repeating: 1, count: 5_000)
        let withoutKey = Self.notice.record(of: dead, to: "d", encodedBytesLimit: 3_000)
        #expect(withoutKey.key == nil)
        #expect(withoutKey.headers.contains { $0.name == "dlq.key_omitted" })
        #expect(withoutKey.encodedBytesBound <= 3_000)
    }

    private static func text(_ header: RecordHeader) -> String {
        String(decoding: header.value ?? [], as: UTF8.self)
    }

    static func sha256(_ text: String) -> String {
        String(decoding: Digest.sha256.hexadecimal(Array(text.utf8)), as: UTF8.self)
    }
}
