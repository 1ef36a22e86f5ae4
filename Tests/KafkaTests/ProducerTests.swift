import EventThread
import Kafka
import Records
import Testing

@Suite(.timeLimit(.minutes(10)))
struct ProducerTests {
    private func record(_ count: Int = 1) -> OutboundRecord {
        OutboundRecord(topic: "out", key: [1], value: Array(repeating: 7, count: count))
    }

    @Test func everyRecordHasOneReport() throws {
        let cluster = try MockCluster()
        let producer = try Producer(["bootstrap.servers": cluster.bootstrapServers])
        for id in UInt64(0)..<5_000 { try producer.send(self.record(), id: id) }
        let reports = reports(of: producer, 5_000)
        #expect(Set(reports.keys) == Set(0..<5_000))
        #expect(reports.values.allSatisfy { $0 == nil })
        #expect(producer.unreported == 0)
    }

    @Test func aFullQueueRefusesAndTakesAgainOnceServed() throws {
        let cluster = try MockCluster()
        let producer = try Producer([
            "bootstrap.servers": cluster.bootstrapServers, "queue.buffering.max.messages": "10",
            "linger.ms": "50",
        ])
        for id in UInt64(0)..<10 { try producer.send(self.record(), id: id) }
        let error = #expect(throws: KafkaError.self) { try producer.send(self.record(), id: 10) }
        #expect(error?.code == .queueFull)
        #expect(Set(reports(of: producer, 10).keys) == Set(0..<10))
        try producer.send(self.record(), id: 11)
        #expect(Set(reports(of: producer, 1).keys) == [11])
    }

    @Test func aRecordThatIsTooLargeIsRefusedAtOnceAndHasNoReport() throws {
        let cluster = try MockCluster()
        let producer = try Producer(["bootstrap.servers": cluster.bootstrapServers])
        var large = self.record(2_000_000)
        large.headers = [RecordHeader("a", "b")]
        let error = #expect(throws: KafkaError.self) { try producer.send(large, id: 1) }
        #expect(error?.code == .messageTooLarge)
        #expect(producer.unreported == 0)
    }

    @Test func aRecordThatNobodyTakesIsReportedAsFailed() throws {
        // A port that was free a moment ago: nobody listens there.
        let servers = try MockCluster().bootstrapServers
        let producer = try Producer([
            "bootstrap.servers": servers, "message.timeout.ms": "300", "enable.idempotence": "false",
        ])
        try producer.send(self.record(), id: 9)
        let reports = reports(of: producer, 1)
        #expect(reports.keys.first == 9)
        #expect(reports[9].flatMap { $0 } != nil)
    }

    @Test func receiptsSayWhereEachRecordStands() throws {
        let cluster = try MockCluster()
        try cluster.createTopic("out", partitions: 2)
        let producer = try Producer(["bootstrap.servers": cluster.bootstrapServers])
        for id in UInt64(0)..<4 {
            var record = self.record()
            record.partition = Int32(id % 2)
            try producer.send(record, id: id)
        }
        var receipts: [UInt64: DeliveryReceipt] = [:]
        var wait = Wait(on: [producer.descriptor])
        let deadline = ContinuousClock.now + .seconds(20)
        while receipts.count < 4, ContinuousClock.now < deadline {
            wait(atMost: .milliseconds(100))
            producer.serve(receipts: { receipts[$0.id] = $0 }) { _ in }
        }
        #expect(receipts.values.allSatisfy { $0.error == nil })
        #expect((0..<4).map { receipts[$0]?.partition.partition } == [0, 1, 0, 1])
        #expect((0..<4).map { receipts[$0]?.offset } == [0, 0, 1, 1])
    }
}
