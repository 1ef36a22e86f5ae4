import Kafka
import Records
import ServiceKit
import Testing
import WorkerKit

@testable import DeadLetters

/// Parked records are counted from their tickets, by topic and by what the records wait for.
@Suite(.timeLimit(.minutes(10))) struct ParkedTests {
    private static func ticket(
        _ offset: Int64,
        _ room: WaitingRoom,
        of place: TopicPartition,
        in cluster: String,
        at time: Int64
    ) -> OutboundRecord {
        var record = ParkingTicket(
            place: PartitionMark(clusterID: cluster, place),
            offset: offset,
            key: nil,
            timestamp: time - 60_000,
            room: room
        ).record(to: place.topic + ParkingTicket.topicSuffix, partition: place.partition)
        record.timestamp = time
        return record
    }

    @Test func countsTheTicketsThatHoldByTopicAndByWhatTheyWaitFor() async throws {
        let topics = ["orders", "orders.dead-letter", "orders.parked", "receipts.parked"]
        try await ClusterUnderTest.with(topics: topics) { cluster in
            let id = try cluster.clusterID()
            let (first, second) = (
                TopicPartition(topic: "orders", partition: 0), TopicPartition(topic: "orders", partition: 1)
            )
            let receipts = TopicPartition(topic: "receipts", partition: 1)
            let sandbox = WaitingRoom.endpoint("sandbox")
            try cluster.publish([
                Self.ticket(5, sandbox, of: first, in: id, at: 1_700_000_500_000),
                Self.ticket(6, sandbox, of: first, in: id, at: 1_700_000_400_000),
                // An offset in another partition is another record.
                Self.ticket(5, sandbox, of: second, in: id, at: 1_700_000_600_000),
                // A record that is parked twice has one ticket, and the last one counts.
                Self.ticket(7, sandbox, of: second, in: id, at: 1_700_000_300_000),
                Self.ticket(7, .lane("112233"), of: second, in: id, at: 1_700_000_700_000),
                // Taken back.
                Self.ticket(8, sandbox, of: second, in: id, at: 1_600_000_000_000),
                ParkingTicket.end(of: 8, in: "orders.parked", partition: 1),
                // A mirror has copied it.
                Self.ticket(9, sandbox, of: second, in: "elsewhere", at: 1_600_000_000_000),
                Self.ticket(
                    3,
                    .budget(lane: "a b", reason: "gdt.-2"),
                    of: receipts,
                    in: id,
                    at: 1_700_000_000_000
                ),
                OutboundRecord(
                    topic: "orders.parked",
                    key: Array("12".utf8),
                    value: Array("nothing".utf8),
                    partition: 0
                ),
            ])
            let list = try cluster.desk().parked()
            #expect(
                list.views == [
                    ParkedView(
                        topic: "orders",
                        room: sandbox,
                        count: 3,
                        partitions: 2,
                        parkedSince: 1_700_000_400_000,
                        oldest: 1_700_000_340_000
                    ),
                    ParkedView(
                        topic: "orders",
                        room: .lane("112233"),
                        count: 1,
                        partitions: 1,
                        parkedSince: 1_700_000_700_000,
                        oldest: 1_700_000_640_000
                    ),
                    ParkedView(
                        topic: "receipts",
                        room: .budget(lane: "a b", reason: "gdt.-2"),
                        count: 1,
                        partitions: 1,
                        parkedSince: 1_700_000_000_000,
                        oldest: 1_699_999_940_000
                    ),
                ]
            )
            #expect(list.count == 5 && list.foreign == 1 && !list.isCut)
            #expect(list.notes == ["Tickets of another cluster or topic, which no worker reads: 1."])
            #expect(
                list.views.map(\.condition) == [
                    "endpoint sandbox", "lane 112233", "room for dead letters of lane a b, reason gdt.-2",
                ]
            )
        }
    }

    @Test func aClusterWithoutParkingTopicsHasNothingParked() async throws {
        try await ClusterUnderTest.with { cluster in
            let list = try cluster.desk().parked()
            #expect(list == ParkedList(views: [], foreign: 0, isCut: false))
        }
    }

    @Test func tellsWhenThereAreMoreThanItKeeps() {
        let place = TopicPartition(topic: "orders", partition: 0)
        var tally = ParkedTally(clusterID: "c", limit: 2)
        func take(_ record: OutboundRecord) {
            tally.take(
                InboundRecord(
                    topic: record.topic,
                    partition: 0,
                    offset: 0,
                    timestamp: record.timestamp,
                    key: record.key,
                    value: record.value
                ),
                of: place
            )
        }
        for offset in [1, 2, 2, 1] as [Int64] {
            take(Self.ticket(offset, .any, of: place, in: "c", at: 1_000 * offset))
        }
        #expect(tally.list().count == 2 && !tally.list().isCut)
        take(ParkingTicket.end(of: 1, in: "orders.parked", partition: 0))
        take(Self.ticket(3, .any, of: place, in: "c", at: 3_000))
        #expect(tally.list().count == 2 && !tally.list().isCut)
        take(Self.ticket(4, .any, of: place, in: "c", at: 4_000))
        #expect(tally.list().count == 2 && tally.list().isCut)
    }
}
