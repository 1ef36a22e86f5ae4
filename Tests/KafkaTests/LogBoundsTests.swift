import EventThread
import Kafka
import Records
import Testing

/// Where the log of a partition begins and ends, without and with a question to the cluster.
@Suite(.timeLimit(.minutes(10)))
struct LogBoundsTests {
    private static func publish(_ count: Int, to cluster: MockCluster) throws {
        let producer = try Producer(["bootstrap.servers": cluster.bootstrapServers, "linger.ms": "0"])
        var missing = count
        for number in 0..<count {
            try producer.send(OutboundRecord(topic: "t", value: [1], partition: 0), id: UInt64(number))
        }
        var wait = Wait(on: [producer.descriptor])
        while missing > 0 {
            producer.serve { if case .reported(_, nil) = $0 { missing -= 1 } }
            wait(atMost: .milliseconds(20))
        }
    }

    /// librdkafka fetches nothing for an owner that does not read, so the last fetch tells an old end.
    @Test func theEndIsKnownAlthoughNobodyReads() throws {
        let cluster = try MockCluster()
        try cluster.createTopic("t", partitions: 2)
        let member = try Member(cluster, group: "g", ["queued.min.messages": "1"])
        try member.consumer.subscribe(to: ["t"])
        var wait = Wait(on: [member.consumer.descriptor])
        while member.readers.count < 2 {
            try member.serve(readingOnly: [])
            wait(atMost: .milliseconds(20))
        }
        try Self.publish(10, to: cluster)
        member.consumer.logBounds.refresh(atMost: .seconds(5)) { true }
        let bounds = member.readers.map { $0.logBounds }
        #expect(bounds == [LogBounds(start: 0, end: 10), LogBounds(start: 0, end: 0)])
        // A stop is heard between two partitions.
        try Self.publish(5, to: cluster)
        member.consumer.logBounds.refresh(atMost: .seconds(5)) { false }
        #expect(member.readers[1].logBounds?.end == 0)
    }
    /// librdkafka's own function for this would wait for the cluster to come back, and with it the end of a
    /// worker.
    @Test func aClusterThatIsGoneIsNotWaitedFor() throws {
        var cluster: MockCluster? = try MockCluster()
        try cluster?.createTopic("t", partitions: 1)
        let member = try Member(try #require(cluster), group: "g")
        defer { member.consumer.abandon() }
        try member.consumer.subscribe(to: ["t"])
        var wait = Wait(on: [member.consumer.descriptor])
        while member.readers.isEmpty {
            try member.serve(readingOnly: [])
            wait(atMost: .milliseconds(20))
        }
        member.consumer.logBounds.refresh(atMost: .seconds(5)) { true }
        #expect(member.readers[0].logBounds == LogBounds(start: 0, end: 0))
        cluster = nil
        member.consumer.logBounds.refresh(atMost: .milliseconds(500)) { true }
        #expect(member.readers[0].logBounds == LogBounds(start: 0, end: 0))
    }
}
