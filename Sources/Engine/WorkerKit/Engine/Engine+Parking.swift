import Kafka
import Logging
import Records
import ServiceKit
import WireFormats

// Parking takes a record out of memory: a ticket goes to the parking topic, the record's offset counts as
// done, and the record is read again when the condition that it waits for has come (`Engine+Unparking`).
extension Engine {
    /// The number of records that have a ticket, including the records that came back and are in hand.
    var parkedTickets: Int {
        // A closure would copy each assignment, and every turn asks for the number.
        var count = 0
        for index in self.assignments.indices { count += self.assignments[index].parked.count }
        return count
    }

    /// Parks a record, and all records that are queued behind it.
    func parkWithFollowers(_ id: EntryID, in room: WaitingRoom, notBefore due: Int64 = .min) {
        self.parkFollowers(of: id, in: room, keeping: 0)
        self.releaseOrder(of: id)
        self.park(id, in: room, notBefore: due)
    }

    /// Parks the records that are queued behind a record, except the first few.
    ///
    /// - Parameters:
    ///   - room: The condition that the record in front waits for.
    ///   - kept: The number of records right behind the record that stay in hand.
    ///   - due: The monotonic time before which the parked records do not come back.
    func parkFollowers(
        of id: EntryID,
        in room: WaitingRoom,
        keeping kept: Int,
        notBefore due: Int64 = .min
    ) {
        guard let key = self.orderingKey(of: self.table[id].record) else { return }
        let ownRoom = room.ofFollowers
        // The followers then wait in the room `any`, which is usually open. Without a pause they would be
        // read again at once.
        let due = ownRoom == room ? due : max(due, self.now.after(.seconds(5)))
        for next in self.order.cut(behind: id, in: key, keeping: kept) {
            self.park(next, in: ownRoom, notBefore: due)
        }
    }

    /// Parks one record: writes a ticket, or puts the record back if it came back and its ticket is still
    /// there. The caller has taken the record out of its queue.
    ///
    /// - Parameter due: The monotonic time before which the record does not come back.
    func park(_ id: EntryID, in room: WaitingRoom, notBefore due: Int64 = .min) {
        let (index, parking, record, past) = self.table.withEntry(id) { entry in
            (entry.assignment, entry.parking, entry.record, ParkedRecords.Past(of: entry, due: due))
        }
        guard let lot = self.lot, parking != .over else {
            self.assignments[index].parked.putBack(record.offset, in: room, past)
            return self.forgetUnparked(id)
        }
        if parking == .stale {
            self.dropTicket(of: record.offset, in: index)
            self.table[id].parking = .none
        }
        let ticket = ParkingTicket(
            place: self.assignments[index].place,
            offset: record.offset,
            key: record.key.map { KeyMark($0) },
            timestamp: record.timestamp,
            room: room
        )
        self.assignments[index].parked.begin(ticket, past)
        self.metrics.putAside()
        self.publish([ticket.record(to: lot.topic, partition: record.partition)], for: .ticket, of: id)
    }

    /// Notes that the broker does not take the ticket of a record. The record has no ticket then.
    func ticketRefused(_ id: EntryID) {
        let (index, offset) = self.table.withEntry(id) { ($0.assignment, $0.offset) }
        self.dropTicket(of: offset, in: index)
    }

    /// Forgets the ticket of this offset, because it was taken back or was never written.
    func dropTicket(of offset: Int64, in index: Int) {
        self.assignments[index].parked.remove(offset)
    }

    /// Drops a record that came back and has to wait again. Its ticket is still in the parking topic.
    private func forgetUnparked(_ id: EntryID) {
        self.unparkedLeaves(id)
        self.assignments[self.table[id].assignment].inHand -= 1
        self.table.remove(id)
    }

    /// Takes in a record that has just been read, in a partition that has tickets.
    ///
    /// If the record has a ticket of its own, an earlier owner has parked it, and it is skipped. If an
    /// earlier record of its key is parked, it is parked too.
    func beginBesideParked(_ record: InboundRecord, in index: Int) {
        var parking = Entry.Parking.none
        if let parked = self.assignments[index].parked[record.offset] {
            guard !parked.ticket.fits(record) else {
                self.assignments[index].pass(record.offset)
                self.metrics.skipped()
                self.progress &+= 1
                return
            }
            self.logger.error(
                "a parked record is gone: another one stands in its place",
                metadata: ["source": "\(record.topic)/\(record.partition)/\(record.offset)"]
            )
            self.assignments[index].parked.takeInHand(record.offset)
            parking = .stale
        }
        let id = self.add(record, readAt: record.offset, in: index)
        self.table[id].parking = parking
        guard self.settings.ordering == .key, let key = record.key,
            let room = self.assignments[index].parked.room(of: KeyMark(key))
        else { return self.enqueue(id) }
        self.park(id, in: room.ofFollowers)
    }
}

extension ParkedRecords.Past {
    fileprivate init(of entry: Entry, due: Int64) {
        let isDelayed = if case .backingOff(_, .delay) = entry.state { true } else { false }
        self.init(
            attempts: entry.attempts,
            countedFailures: entry.countedFailures,
            ambiguousAttempts: entry.ambiguousAttempts,
            receivedAt: entry.receivedAt,
            firstFailedAt: entry.firstFailedAt,
            lastReason: entry.lastReason.map { ($0.code, $0.message) },
            hasFailed: entry.hasFailed,
            failedAlone: entry.failedAlone,
            failuresAlone: entry.failuresAlone,
            lastLane: entry.lastLane,
            due: due,
            expiresAt: entry.expiresAt,
            isDelayed: isDelayed
        )
    }
}
