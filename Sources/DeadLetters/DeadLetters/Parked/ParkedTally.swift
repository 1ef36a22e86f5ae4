import Kafka
import Records
import ServiceKit
import WorkerKit

/// Counts the tickets of parking topics, which are compacted: the last record of a key counts.
struct ParkedTally {
    /// The part of a ticket that is counted.
    private struct Ticket {
        var room: WaitingRoom
        var parkedAt: Int64?
        var timestamp: Int64?
    }

    /// A topic's records that wait for the same thing.
    private struct Heap: Hashable {
        var topic: String
        var room: WaitingRoom
    }

    private let clusterID: String
    private let limit: Int
    private var tickets: [TopicPartition: [Int64: Ticket]] = [:]
    private var count = 0
    private var foreign = 0
    private var isCut = false

    /// - Parameter limit: the number of tickets that are kept at most; later ones are not counted.
    init(clusterID: String, limit: Int) {
        self.clusterID = clusterID
        self.limit = limit
    }

    /// Takes the next record of a parking topic.
    ///
    /// - Parameter place: the partition of the parked records, which has the number of the ticket's partition.
    mutating func take(_ record: InboundRecord, of place: TopicPartition) {
        switch ParkingTicket.line(record, at: PartitionMark(clusterID: self.clusterID, place)) {
        case .ticket(let ticket):
            if self.tickets[place]?[ticket.offset] == nil {
                guard self.count < self.limit else { return self.isCut = true }
                self.count += 1
            }
            self.tickets[place, default: [:]][ticket.offset] = Ticket(
                room: ticket.room,
                parkedAt: record.timestamp,
                timestamp: ticket.timestamp
            )
        case .end(let offset):
            if self.tickets[place]?.removeValue(forKey: offset) != nil { self.count -= 1 }
        case .otherPlace: self.foreign += 1
        case .unreadable: break
        }
    }

    /// Returns what is parked.
    func list() -> ParkedList {
        var heaps: [Heap: ParkedView] = [:]
        for (place, tickets) in self.tickets {
            var seen: Set<WaitingRoom> = []
            for ticket in tickets.values {
                let none = ParkedView(topic: place.topic, room: ticket.room, count: 0, partitions: 0)
                var view = heaps[Heap(topic: place.topic, room: ticket.room)] ?? none
                view.count += 1
                if seen.insert(ticket.room).inserted { view.partitions += 1 }
                view.parkedSince = Self.earlier(view.parkedSince, ticket.parkedAt)
                view.oldest = Self.earlier(view.oldest, ticket.timestamp)
                heaps[Heap(topic: place.topic, room: ticket.room)] = view
            }
        }
        let views = heaps.values.sorted { one, other in
            if one.topic != other.topic { return one.topic < other.topic }
            if one.count != other.count { return one.count > other.count }
            return one.room.text < other.room.text
        }
        return ParkedList(views: views, foreign: self.foreign, isCut: self.isCut)
    }

    private static func earlier(_ one: Int64?, _ other: Int64?) -> Int64? {
        guard let one, let other else { return one ?? other }
        return min(one, other)
    }
}
