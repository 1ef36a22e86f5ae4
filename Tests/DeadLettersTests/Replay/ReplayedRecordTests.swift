import Cryptography
import Records
import SwiftProtobuf
import TestMaterial
import Testing
import WireFormats
import WireMessages

@testable import DeadLetters

@Suite struct ReplayedRecordTests {
    static let notice = DeadLetterNotice.ofActivation
    static let original = InboundRecord(
        topic: "activation",
        partition: 3,
        offset: 42,
        timestamp: 1_795_248_000_000,
        key: [0xFF, 0x00],
        value: [0x00, 0xC3, 0x28],
        headers: [
            RecordHeader("h", [0xFE]), RecordHeader("traceparent", "00-1"), RecordHeader("h", "twice"),
            RecordHeader("none", nil),
        ]
    )

    static func letter(of record: InboundRecord = original) -> InboundRecord {
        let letter = Self.notice.record(of: record, to: "activation.dead-letter", encodedBytesLimit: 100_000)
        return InboundRecord(
            topic: letter.topic,
            partition: 0,
            offset: 7,
            timestamp: 1_795_248_009_000,
            key: letter.key,
            value: letter.value,
            headers: letter.headers
        )
    }

    static func replay(
        _ letter: InboundRecord,
        edited: [UInt8]? = nil,
        timestamp: ReplayedRecord.TimestampPolicy = .original,
        partition: ReplayedRecord.PartitionPolicy = .original,
        partitionCount: Int? = nil
    ) -> OutboundRecord {
        ReplayedRecord(
            of: letter,
            DeadLetterFacts(HeaderBlock(letter.headers)),
            letterID: "dl-1",
            to: "target",
            replayID: "r-1",
            edited: edited,
            timestamp: timestamp,
            partition: partition,
            partitionCount: partitionCount
        ).record
    }

    @Test func isTheRecordAsItWas() {
        let replayed = Self.replay(Self.letter())
        #expect((replayed.key, replayed.value) == (Self.original.key, Self.original.value))
        #expect(
            replayed.headers == Self.original.headers + [
                RecordHeader("dlq.replay_of", "dl-1"), RecordHeader("dlq.replay_id", "r-1"),
                RecordHeader("dlq.replay_count", "1"), RecordHeader("flotilla.origin", "activation/3/42"),
            ]
        )
        #expect((replayed.topic, replayed.partition, replayed.timestamp) == ("target", 3, 1_795_248_000_000))
    }

    @Test func keepsATombstoneATombstone() {
        var tombstone = Self.original
        (tombstone.key, tombstone.value) = ([], nil)
        let replayed = Self.replay(Self.letter(of: tombstone))
        #expect((replayed.key, replayed.value) == ([], nil))
    }

    @Test func takesItsTimeFromWhomItIsAsked() {
        let letter = Self.letter()
        #expect(Self.replay(letter, timestamp: .now).timestamp == nil)
        var undated = letter
        undated.headers.removeAll { $0.name == "dlq.original_timestamp" }
        #expect(Self.replay(undated).timestamp == letter.timestamp)
    }

    @Test(arguments: [(nil, 3), (4, 3), (3, nil), (1, nil)] as [(Int?, Int32?)])
    func goesWhereItWasIfThatIsThere(count: Int?, partition: Int32?) {
        #expect(Self.replay(Self.letter(), partitionCount: count).partition == partition)
        #expect(Self.replay(Self.letter(), partition: .byKey, partitionCount: count).partition == nil)
    }

    /// Dies, is replayed, dies again: no header of the first round is there twice.
    @Test func countsItsReplays() {
        var record = Self.original
        for round in 1...3 {
            let replayed = Self.replay(Self.letter(of: record))
            record.headers = replayed.headers
            #expect(replayed.headers.filter { $0.name.hasPrefix("dlq.") }.count == 3)
            #expect(record.header("dlq.replay_count") == Array("\(round)".utf8))
        }
    }

    /// An upstream that recognises a repeat by the name of the report recognises the replay's too, however often
    /// the record died, and in whichever topic it is replayed.
    @Test func isReportedUnderTheNameOfTheRecordThatFailed() {
        var record = Self.original
        for offset in 50...52 as ClosedRange<Int64> {
            let replayed = Self.replay(Self.letter(of: record))
            record = InboundRecord(
                topic: "target",
                partition: 1,
                offset: offset,
                key: nil,
                value: replayed.value
            )
            record.headers = replayed.headers
            #expect(record.reportName == Self.original.reportName)
            #expect(record.headers.filter { $0.name == "flotilla.origin" }.count == 1)
        }
    }

    @Test(arguments: ["flotilla.origin", "flotilla.event_id"])
    func namesNoOriginWhereOneIsKnown(header: String) {
        var record = Self.original
        record.headers.append(RecordHeader(header, "sdk-upload/0/9"))
        let replayed = Self.replay(Self.letter(of: record))
        #expect(replayed.headers.filter { $0.name.hasPrefix("flotilla.") } == [record.headers.last])
    }

    @Test func tellsWhatItWasBeforeItsFirstEdit() {
        let first = Self.replay(Self.letter(), edited: [1])
        let digest = String(decoding: Digest.sha256.hexadecimal([0x00, 0xC3, 0x28]), as: UTF8.self)
        #expect(first.value == [1])
        let edited = RecordHeader("dlq.edited", digest)
        #expect(first.headers.filter { $0.name == "dlq.edited" } == [edited])

        var again = Self.original
        (again.value, again.headers) = (first.value, first.headers)
        for edit in [nil, [2]] as [[UInt8]?] {
            let second = Self.replay(Self.letter(of: again), edited: edit)
            #expect(second.headers.filter { $0.name == "dlq.edited" } == [edited])
            #expect(second.value == edit ?? [1])
        }
    }

    @Test func digestsTheValueThatThereWas() {
        var record = Self.original
        record.value = Array("abc".utf8)
        let digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        #expect(
            Self.replay(Self.letter(of: record), edited: []).headers.contains(
                RecordHeader("dlq.edited", digest)
            )
        )
        #expect(Self.replay(Self.letter(of: record), edited: []).value == [])
    }

    @Test func givesKarafkasRecordsTheirKeyBack() {
        func replayed(_ key: [UInt8]?) -> OutboundRecord {
            let place = [("original_topic", "t"), ("original_partition", "1"), ("original_offset", "2")]
            var letter = InboundRecord(topic: "d", partition: 0, offset: 0, key: Array("1".utf8), value: [5])
            letter.headers = [RecordHeader("own", "x")] + place.map { RecordHeader($0, $1) }
            if let key { letter.headers.append(RecordHeader("original_key", key)) }
            return Self.replay(letter)
        }
        #expect(replayed([9]).key == [9])
        #expect(replayed([]).key == nil)
        #expect(replayed(nil).key == Array("1".utf8))
        #expect(
            replayed([9]).headers.map(\.name) == [
                "own", "dlq.replay_of", "dlq.replay_id", "dlq.replay_count",
            ]
        )
    }

    @Test func takesNoMoreOffSpringsRecordsThanSpringPutThere() {
        var letter = InboundRecord(topic: "d", partition: 0, offset: 0, key: [1], value: [5])
        letter.headers = [RecordHeader("__TypeId__", "x")] + DeadLetterFactsTests.spring
        let replayed = Self.replay(letter)
        #expect(replayed.headers.map(\.name).prefix(2) == ["__TypeId__", "dlq.replay_of"])
        #expect((replayed.partition, replayed.timestamp) == (12, 1_795_248_000_250))
    }
}
