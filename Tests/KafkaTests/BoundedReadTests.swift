import EventThread
import Records
import Testing

@testable import Kafka

/// A reader with a bound passes on what lies before it, and knows when that is all.
@Suite(.timeLimit(.minutes(5)))
struct BoundedReadTests {
    private func cluster(with records: Range<Int>) throws -> MockCluster {
        let cluster = try MockCluster()
        try cluster.createTopic("work", partitions: 1)
        try publish(records.map { OutboundRecord(topic: "work", value: [UInt8($0)]) }, to: cluster)
        return cluster
    }

    private func member(
        of cluster: MockCluster,
        readingBefore bound: Int64,
        tellsEnds: Bool = true
    ) throws -> Member {
        let member = try Member(cluster, group: "workers", ["enable.partition.eof": "\(tellsEnds)"])
        member.bound = bound
        try member.consumer.subscribe(to: ["work"])
        return member
    }

    private func isAtBound(_ member: Member) -> Bool { member.readers.first?.isAtBound == true }

    @Test func nothingFromTheBoundOnIsPassedOn() throws {
        let cluster = try self.cluster(with: 0..<20)
        let member = try self.member(of: cluster, readingBefore: 12)
        #expect(try serve(member) { self.isAtBound(member) })
        #expect(member.positions == Set((0..<12).map { Position(0, $0) }))
        // Records that were fetched beyond the bound keep nobody awake.
        let reader = try #require(member.readers.first)
        #expect(try serve(member) { !reader.hasArrivals })
        #expect(member.positions.count == 12)
    }

    @Test func theLastRecordBeforeTheBoundIsEnough() throws {
        let cluster = try self.cluster(with: 0..<20)
        let member = try self.member(of: cluster, readingBefore: 20, tellsEnds: false)
        #expect(try serve(member) { self.isAtBound(member) })
        #expect(member.positions.count == 20)
    }

    @Test func nothingIsReadWhereTheGroupStandsBehindTheBound() throws {
        let cluster = try self.cluster(with: 0..<20)
        let member = try Member(cluster, group: "workers")
        let partition = TopicPartition(topic: "work", partition: 0)
        let position = CommittedPosition(partition: partition, offset: 15)
        let reader = try #require(try member.consumer.assign([position], atMost: .seconds(10)).first)
        reader.bound = 12
        var wait = Wait(on: [member.consumer.descriptor])
        var count = 0
        let deadline = ContinuousClock.now + .seconds(30)
        while !reader.isAtBound, ContinuousClock.now < deadline {
            wait(atMost: .milliseconds(100))
            member.consumer.serve { _ in }
            count += reader.read(atMost: 100) { _ in
            } _: { _ in
            }
        }
        #expect(reader.isAtBound && count == 0)
    }

    /// The bound of an empty partition is 0, and the end of the partition is all that the broker ever tells of it.
    @Test func theEndOfThePartitionIsEnoughWithoutARecord() throws {
        let cluster = try self.cluster(with: 0..<0)
        let member = try self.member(of: cluster, readingBefore: 0)
        #expect(try serve(member) { self.isAtBound(member) })
        #expect(member.records.isEmpty)
    }

    @Test func anEndBeforeTheBoundIsAwaited() throws {
        let cluster = try self.cluster(with: 0..<5)
        let member = try self.member(of: cluster, readingBefore: 6)
        #expect(
            try serve(member) {
                member.positions.count == 5 && member.failures.contains { $0.code == .endOfPartition }
            }
        )
        #expect(!self.isAtBound(member))
        try publish((5..<9).map { OutboundRecord(topic: "work", value: [UInt8($0)]) }, to: cluster)
        #expect(try serve(member) { self.isAtBound(member) })
        #expect(member.positions.count == 6)
    }
}
