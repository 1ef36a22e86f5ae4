import Kafka
import Records
import Testing

@Suite(.timeLimit(.minutes(10)))
struct RecordRoundTripTests {
    /// The published records, read back by a reader that joins no group.
    private func readBack(_ records: [OutboundRecord], more: [String: String] = [:]) throws -> [InboundRecord]
    {
        let cluster = try MockCluster()
        try cluster.createTopic("letters", partitions: 1)
        let producer = try Producer(["bootstrap.servers": cluster.bootstrapServers].merging(more) { $1 })
        for (index, record) in records.enumerated() { try producer.send(record, id: UInt64(index)) }
        try #require(reports(of: producer, records.count).values.allSatisfy { $0 == nil })
        let topics = try Topics(["letters"], in: cluster)
        return try topics.records(records.count)
    }

    @Test(arguments: [nil, [], [0], [0xFF, 0x00, 0xFE], Array("key".utf8)] as [[UInt8]?])
    func keysAndValuesComeBackAsTheyWere(bytes: [UInt8]?) throws {
        let read = try self.readBack([OutboundRecord(topic: "letters", key: bytes, value: bytes)])
        #expect(read.map(\.key) == [bytes])
        #expect(read.map(\.value) == [bytes])
    }

    @Test func headersComeBackInOrderWithRepeatsAndNulls() throws {
        let headers = [
            RecordHeader("a", "1"), RecordHeader("b", nil as [UInt8]?), RecordHeader("a", []),
            RecordHeader("", [0, 0xFF]), RecordHeader("ünïcode", "ö"),
        ]
        let read = try self.readBack([OutboundRecord(topic: "letters", value: [1], headers: headers)])
        #expect(read.map(\.headers) == [headers])
    }

    @Test func tenThousandHeadersComeBack() throws {
        let headers = (0..<10_000).map { RecordHeader("header-\($0)", "\($0)") }
        let read = try self.readBack([OutboundRecord(topic: "letters", value: [1], headers: headers)])
        #expect(read.first?.headers == headers)
    }

    @Test func timestampsAndOffsetsComeBack() throws {
        let read = try self.readBack([
            OutboundRecord(topic: "letters", value: [1], timestamp: 1_428_922_061_000),
            OutboundRecord(topic: "letters", value: [2], timestamp: 1),
        ])
        #expect(read.map(\.timestamp) == [1_428_922_061_000, 1])
        #expect(read.map(\.offset) == [0, 1])
        #expect(read.map(\.partition) == [0, 0])
        #expect(read.map(\.topic) == ["letters", "letters"])
    }

    @Test(arguments: ["none", "gzip", "snappy", "lz4", "zstd"])
    func everyCompressionIsRead(codec: String) throws {
        let value = Array(repeating: UInt8(ascii: "x"), count: 100_000)
        let read = try self.readBack(
            [OutboundRecord(topic: "letters", value: value)],
            more: ["compression.codec": codec]
        )
        #expect(read.map(\.value) == [value])
    }
}
