import Kafka
import Records
import Testing

@testable import ServiceKit
@testable import WorkerKit

struct ParkingTicketTests {
    private static let place = PartitionMark(clusterID: "c", TopicPartition(topic: "t", partition: 3))

    private static func ticket(room: WaitingRoom, key: String? = "k", timestamp: Int64? = -5) -> ParkingTicket
    {
        ParkingTicket(
            place: self.place,
            offset: 12,
            key: key.map { KeyMark(Array($0.utf8)) },
            timestamp: timestamp,
            room: room
        )
    }

    /// As it is read from the topic.
    private static func read(_ record: OutboundRecord) -> InboundRecord {
        InboundRecord(topic: record.topic, partition: 3, offset: 0, key: record.key, value: record.value)
    }

    @Test(arguments: [
        WaitingRoom.any, .endpoint(""), .endpoint("com.example.app/app store:1"), .lane("a b:c%20"),
        .lane("广告"), .budget(lane: "", reason: "http.422"), .budget(lane: "x:y", reason: " "),
    ])
    func saysWhatItWasWrittenWith(room: WaitingRoom) {
        for (key, timestamp) in [("k", 1), (nil, 1), ("", nil)] as [(String?, Int64?)] {
            let ticket = Self.ticket(room: room, key: key, timestamp: timestamp)
            let record = ticket.record(to: "t.parked", partition: 3)
            #expect(record.partition == 3)
            #expect(ParkingTicket.line(Self.read(record), at: Self.place) == .ticket(ticket))
        }
    }

    @Test func aRoomWithAVeryLongNameIsAnyRoom() {
        let ticket = Self.ticket(room: .lane(String(repeating: "l", count: 600)))
        let line = ParkingTicket.line(Self.read(ticket.record(to: "p", partition: 3)), at: Self.place)
        #expect(line == .ticket(Self.ticket(room: .any)))
    }

    @Test func isTakenBackByARecordWithoutAValue() {
        let end = ParkingTicket.end(of: 12, in: "t.parked", partition: 3)
        #expect(ParkingTicket.line(Self.read(end), at: Self.place) == .end(of: 12))
    }

    @Test func speaksOfItsOwnPlaceAlone() {
        let record = Self.read(Self.ticket(room: .any).record(to: "p", partition: 3))
        let other = PartitionMark(clusterID: "c", TopicPartition(topic: "t", partition: 4))
        #expect(ParkingTicket.line(record, at: other) == .otherPlace)
    }

    @Test(arguments: [
        ("", "x"), ("-1", "x"), ("9223372036854775807", "x"), ("1", ""), ("1", "p1"), ("1", "p2 a - - "),
        ("1", "p1 0 - - "), ("1", "p1 PLACE short 1 "), ("1", "p1 PLACE - later "),
        ("123456789012345678901", "p1 PLACE - - "),
    ])
    func whatIsNoTicketIsNotBelieved(key: String, value: String) {
        let text = value.replacing("PLACE", with: Self.place.text)
        let record = InboundRecord(
            topic: "p",
            partition: 3,
            offset: 0,
            key: Array(key.utf8),
            value: Array(text.utf8)
        )
        let line = ParkingTicket.line(record, at: Self.place)
        #expect(line == .unreadable || line == .otherPlace)
    }

    @Test func knowsItsRecord() {
        let ticket = Self.ticket(room: .any)
        func record(_ offset: Int64, _ timestamp: Int64?, _ key: String?) -> InboundRecord {
            InboundRecord(
                topic: "t",
                partition: 3,
                offset: offset,
                timestamp: timestamp,
                key: key.map { Array($0.utf8) }
            )
        }
        #expect(ticket.fits(record(12, -5, "k")))
        #expect(!ticket.fits(record(13, -5, "k")))
        #expect(!ticket.fits(record(12, -4, "k")))
        #expect(!ticket.fits(record(12, nil, "k")))
        #expect(!ticket.fits(record(12, -5, "l")))
        #expect(!ticket.fits(record(12, -5, nil)))
    }
}
