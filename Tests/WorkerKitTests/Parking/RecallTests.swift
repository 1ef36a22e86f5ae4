import Kafka
import Records
import Testing

@testable import ServiceKit
@testable import WorkerKit

struct RecallTests {
    private static let places = (0..<3).map { TopicPartition(topic: "work.parked", partition: $0) }
    private static let mark = PartitionMark(clusterID: "c", TopicPartition(topic: "work", partition: 0))
    private static let otherMark = PartitionMark(clusterID: "c", TopicPartition(topic: "work", partition: 1))

    private static func ticket(_ offset: Int64, at mark: PartitionMark = Self.mark) -> ParkingTicket {
        ParkingTicket(place: mark, offset: offset, key: nil, timestamp: 0, room: .any)
    }

    /// Returns an outbound record as a reader of the parking topic gets it.
    private static func read(_ record: OutboundRecord, partition: Int32 = 0) -> InboundRecord {
        InboundRecord(
            topic: record.topic,
            partition: partition,
            offset: 0,
            key: record.key,
            value: record.value
        )
    }

    private static func begun() -> Recall {
        var recall = Recall()
        recall.begin(
            to: [Self.places[0]: 3, Self.places[1]: 1],
            marks: [Self.places[0]: Self.mark, Self.places[1]: Self.otherMark]
        )
        return recall
    }

    @Test func aTicketStandsUntilItIsTakenBack() {
        var recall = Self.begun()
        for offset in [7, 3, 5] as [Int64] {
            recall.take(Self.read(Self.ticket(offset).record(to: "work.parked", partition: 0)))
        }
        recall.take(Self.read(ParkingTicket.end(of: 5, in: "work.parked", partition: 0)))
        recall.take(
            Self.read(
                Self.ticket(9, at: Self.otherMark).record(to: "work.parked", partition: 1),
                partition: 1
            )
        )
        #expect(recall.parked(in: Self.places[0])?.count == 2)
        #expect(recall.parked(in: Self.places[0])?.first?.offset == 3)
        #expect(recall.parked(in: Self.places[1])?.first?.offset == 9)
        #expect(recall.parked(in: Self.places[2]) == nil)
        recall.take(Self.read(ParkingTicket.end(of: 9, in: "work.parked", partition: 1), partition: 1))
        #expect(recall.parked(in: Self.places[1]) == nil)
    }

    /// A mirror copies tickets of another cluster, and anybody may write to the topic.
    @Test func ticketsOfOthersAreCountedAndNotBelieved() {
        var recall = Self.begun()
        recall.take(Self.read(Self.ticket(1, at: Self.otherMark).record(to: "work.parked", partition: 0)))
        recall.take(
            InboundRecord(topic: "work.parked", partition: 0, offset: 1, key: Array("1".utf8), value: [0])
        )
        // No partition of this worker belongs to this one.
        recall.take(Self.read(Self.ticket(1).record(to: "work.parked", partition: 2), partition: 2))
        #expect(recall.strangers == 2)
        #expect(Self.places.allSatisfy { recall.parked(in: $0) == nil })
    }

    @Test func isReadOnceEachPartitionIsReadToItsEnd() {
        #expect(!Recall().isRead { _ in .max })
        let recall = Self.begun()
        #expect(!recall.isRead { _ in nil })
        #expect(!recall.isRead { $0 == Self.places[0] ? 3 : 0 })
        #expect(recall.isRead { $0 == Self.places[0] ? 3 : 1 })
    }

    @Test func aReaderThatFailsIsToldOnceAndTriedAgain() {
        var recall = Self.begun()
        let error = KafkaError(code: .connectionFailed, message: "gone")
        let start = Moment(monotonic: 5_000_000_000, wall: 0)
        #expect(recall.failed(error, at: start) == true)
        #expect(recall.failed(error, at: Moment(monotonic: 6_000_000_000, wall: 0)) == false)
        #expect(recall.trouble?.since == 5_000_000_000 && recall.retryAt == 7_000_000_000)
        recall.take(Self.read(Self.ticket(1).record(to: "work.parked", partition: 0)))
        #expect(recall.trouble == nil)
        #expect(recall.failed(error, at: start) == true)
    }
}
