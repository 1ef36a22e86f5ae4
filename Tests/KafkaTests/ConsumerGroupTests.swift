import CRdKafka
import EventThread
import Records
import Testing

@testable import Kafka

@Suite(.timeLimit(.minutes(10)))
struct ConsumerGroupTests {
    private func cluster(partitions: Int) throws -> MockCluster {
        let cluster = try MockCluster()
        try cluster.createTopic("work", partitions: partitions)
        return cluster
    }

    private func member(of cluster: MockCluster) throws -> Member {
        let member = try Member(cluster, group: "workers")
        try member.consumer.subscribe(to: ["work"])
        return member
    }

    @Test func membersShareThePartitions() throws {
        let cluster = try self.cluster(partitions: 4)
        let first = try self.member(of: cluster)
        #expect(try serve(first) { first.partitions == [0, 1, 2, 3] })
        let second = try self.member(of: cluster)
        // A member that was not served in time on a busy machine rejoins: there may be any number of rebalances, and each
        // leads to this.
        #expect(
            try serve(first, second) {
                first.partitions.count == 2 && second.partitions.count == 2
                    && Set(first.partitions + second.partitions) == [0, 1, 2, 3]
            }
        )
        #expect(first.revocations >= 1)
    }

    /// A record that nobody reads could not be told from an offset that never had one.
    @Test func aRecordOutsideTheQueueOfItsPartitionIsAFatalError() throws {
        let cluster = try self.cluster(partitions: 1)
        try publish([OutboundRecord(topic: "work", value: [1], partition: 0)], to: cluster)
        let member = try Member(cluster, group: "workers")
        let partition = TopicPartition(topic: "work", partition: 0)
        // Without a reader, the partition's records go to the queue of the group.
        let list = PartitionList([CommittedPosition(partition: partition, offset: 0)])
        try KafkaError.check(unsafe rd_kafka_assign(member.consumer.client.handle, list.list))
        #expect(try serve(member) { !member.failures.isEmpty })
        #expect(member.failures.first?.isFatal == true)
    }

    @Test func aPositionAndItsMetadataOutliveTheMember() throws {
        let cluster = try self.cluster(partitions: 2)
        try publish(
            (0..<20).map { OutboundRecord(topic: "work", value: [UInt8($0)], partition: Int32($0 % 2)) },
            to: cluster
        )
        let partition = TopicPartition(topic: "work", partition: 0)
        let position = CommittedPosition(partition: partition, offset: 7, metadata: "djE6AQIDBA==")
        do {
            let first = try self.member(of: cluster)
            #expect(try serve(first) { first.positions.count == 20 })
            try first.consumer.commit([position], id: 42)
            #expect(try serve(first) { first.commits[42] != nil })
            #expect(first.commits[42] == .some(nil))
            try first.consumer.close()
            #expect(try serve(first) { first.consumer.isClosed })
            #expect(first.partitions.isEmpty)
        }
        let second = try self.member(of: cluster)
        #expect(try serve(second) { second.positions.count == 13 })
        #expect(try second.consumer.committed([partition], atMost: .seconds(10)) == [position])
        let expected = (0..<10).map { Position(1, $0) } + (7..<10).map { Position(0, $0) }
        #expect(second.positions == Set(expected))
        let other = TopicPartition(topic: "work", partition: 1)
        #expect(
            try second.consumer.committed([other], atMost: .seconds(10))
                == [CommittedPosition(partition: other, offset: nil)]
        )
    }

    /// The engine leaves a partition unread when it has enough of it; the others must not wait for that.
    @Test func anUnreadPartitionHoldsUpNobody() throws {
        let cluster = try self.cluster(partitions: 2)
        try publish(
            (0..<2_000).map { OutboundRecord(topic: "work", value: [0], partition: Int32($0 % 2)) },
            to: cluster
        )
        let member = try self.member(of: cluster)
        var wait = Wait(on: [member.consumer.descriptor])
        let deadline = ContinuousClock.now + .seconds(30)
        while member.records.count < 1_000, ContinuousClock.now < deadline {
            try member.serve(readingOnly: [1])
            wait(atMost: .milliseconds(100))
        }
        #expect(member.records.map(\.offset) == Array(0..<1_000))
        #expect(member.records.allSatisfy { $0.partition == 1 })
        #expect(try serve(member) { member.records.count == 2_000 })
        #expect(member.records.suffix(1_000).map(\.offset) == Array(0..<1_000))
    }

    @Test func aReadTakesNoMoreThanItsLimit() throws {
        let cluster = try self.cluster(partitions: 1)
        try publish((0..<200).map { _ in OutboundRecord(topic: "work", value: [0]) }, to: cluster)
        let member = try Member(cluster, group: "workers")
        let partition = TopicPartition(topic: "work", partition: 0)
        let readers = try member.consumer.assign(
            [CommittedPosition(partition: partition, offset: 0)],
            atMost: .seconds(10)
        )
        let reader = try #require(readers.first)
        var wait = Wait(on: [member.consumer.descriptor])
        var counts: [Int] = []
        while counts.reduce(0, +) < 200, counts.count < 10_000 {
            wait(atMost: .milliseconds(10))
            member.consumer.serve { _ in }
            counts.append(
                reader.read(atMost: 70) { _ in
                } _: { _ in
                }
            )
        }
        #expect(counts.reduce(0, +) == 200)
        #expect(counts.max() ?? 0 <= 70)
    }

    /// The descriptor is what a worker sleeps on: a record that does not ring it would wait for the next one.
    @Test func everyArrivalEndsTheWait() throws {
        let cluster = try self.cluster(partitions: 1)
        let member = try self.member(of: cluster)
        #expect(try serve(member) { member.partitions == [0] })
        for round in 1...5 {
            try member.serve()
            try publish([OutboundRecord(topic: "work", value: [UInt8(round)])], to: cluster)
            let deadline = ContinuousClock.now + .seconds(20)
            var wait = Wait(on: [member.consumer.descriptor])
            while member.records.count < round, ContinuousClock.now < deadline {
                // Long enough to show in the time limit if only the timeout ended it.
                wait(atMost: .seconds(30))
                try member.serve()
            }
            #expect(member.records.count == round)
        }
    }

    @Test func propertiesThatAreWrongAreNamedWithoutTheirValue() throws {
        for (name, value) in [("no.such.property", "x"), ("session.timeout.ms", "s3cret")] {
            let error = #expect(throws: KafkaError.self) {
                try Consumer(["bootstrap.servers": "127.0.0.1:1", "group.id": "g", name: value])
            }
            #expect(error?.code == .invalidConfiguration)
            #expect(error?.message.contains(name) == true)
            #expect(error?.message.contains("s3cret") == false)
        }
    }
}
