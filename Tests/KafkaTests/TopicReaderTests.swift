import EventThread
import Kafka
import Records
import Testing

/// Topics read from their beginning, by the test's own thread.
struct Topics {
    let reader: TopicReader

    init(_ names: [String], in cluster: MockCluster, from start: TopicReader.Start = .beginning) throws {
        self.reader = try TopicReader(
            names,
            from: start,
            ["bootstrap.servers": cluster.bootstrapServers, "fetch.wait.max.ms": "5"],
            atMost: .seconds(10)
        )
    }

    /// Reads until there are so many records and the end has been seen.
    func records(_ count: Int, atMost longest: Duration = .seconds(20)) throws -> [InboundRecord] {
        var records: [InboundRecord] = []
        let deadline = ContinuousClock.now + longest
        var wait = Wait(on: [self.reader.descriptor])
        while records.count < count || !self.reader.isAtEnd, ContinuousClock.now < deadline {
            let taken = self.reader.read(atMost: 100) {
                records.append($0)
            } _: { _ in
            }
            if taken == 0 { wait(atMost: .milliseconds(100)) }
        }
        return records
    }
}

@Suite(.timeLimit(.minutes(10)))
struct TopicReaderTests {
    @Test func readsEveryPartitionToItsEnd() throws {
        let cluster = try MockCluster()
        try cluster.createTopic("many", partitions: 3)
        try publish(
            (0..<300).map {
                OutboundRecord(topic: "many", value: [UInt8($0 % 251)], partition: Int32($0 % 3))
            },
            to: cluster
        )
        let topics = try Topics(["many"], in: cluster)
        #expect(!topics.reader.isAtEnd)
        let records = try topics.records(300)
        #expect(records.count == 300)
        for partition in Int32(0)..<3 {
            let offsets = records.filter { $0.partition == partition }.map(\.offset)
            #expect(offsets == Array(0..<100))
        }
        #expect(topics.reader.isAtEnd)
    }

    @Test func startsAtTheEndIfToldSo() throws {
        let cluster = try MockCluster()
        try cluster.createTopic("tail", partitions: 1)
        try publish([OutboundRecord(topic: "tail", value: [1])], to: cluster)
        let topics = try Topics(["tail"], in: cluster, from: .end)
        #expect(try topics.records(0).isEmpty)
        try publish([OutboundRecord(topic: "tail", value: [2])], to: cluster)
        #expect(try topics.records(1).map(\.value) == [[2]])
    }

    @Test func aMissingTopicIsNamed() throws {
        let cluster = try MockCluster()
        // Twice: to ask for it must not have created it.
        for _ in 0..<2 {
            let error = #expect(throws: TopicReader.MissingTopic.self) {
                try Topics(["nowhere"], in: cluster)
            }
            #expect(error?.topic == "nowhere")
        }
    }
}
