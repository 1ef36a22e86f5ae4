import Kafka
import Logging
import Records
import WireFormats

// A record leaves memory: a ticket goes to the parking topic, the record's offset counts as done, and the record is read
// again when what it waits for has come (`Engine+Unparking`).
extension Engine {
    /// Whoever comes behind a parked record of its key is parked too.
    func parkWithFollowers(_ id: EntryID, in room: WaitingRoom, notBefore due: Int64 = .min) {
        self.parkFollowers(of: id, in: room, keeping: 0)
        if let key = self.orderingKey(of: self.table[id].record), self.tails[key]?.last == id {
            self.tails[key] = nil
        }
        self.park(id, in: room, notBefore: due)
    }

    /// - Parameter kept: so many of those behind this record stay.
    func parkFollowers(
        of id: EntryID,
        in room: WaitingRoom,
        keeping kept: Int,
        notBefore due: Int64 = .min
    ) {
        // Whoever comes after a record that has let the next one go is nobody's business here.
        guard !self.table[id].hasReleasedOrder, let key = self.orderingKey(of: self.table[id].record) else {
            return
        }
        var last = id
        for _ in 0..<kept {
            guard let next = self.table[last].next else { return }
            last = next
        }
        guard var next = self.table[last].next else { return }
        let ownRoom = room.ofFollowers
        // It is open, so without a pause they would be read again at once.
        let due = ownRoom == room ? due : max(due, self.now.after(.seconds(5)))
        self.table[last].next = nil
        self.tails[key] = Tail(last: last, waiting: kept)
        while true {
            let following = self.table[next].next
            self.park(next, in: ownRoom, notBefore: due)
            guard let following else { return }
            next = following
        }
    }

    /// Puts a record aside. It is in no queue any more.
    func park(_ id: EntryID, in room: WaitingRoom, notBefore due: Int64 = .min) {
        if !self.followUps.isEmpty { self.followUps[id] = nil }
        let (index, parking, record, past) = self.table.withEntry(id) { entry in
            entry.next = nil
            entry.hasReleasedOrder = true
            return (entry.assignment, entry.parking, entry.record, ParkedRecords.Past(of: entry, due: due))
        }
        guard let lot = self.lot, parking != .over else {
            self.assignments[index].parked.putBack(record.offset, in: room, past)
            return self.forgetUnparked(id)
        }
        if parking == .stale { self.dropTicket(of: record.offset, in: index) }
        let ticket = ParkingTicket(
            place: self.assignments[index].place,
            offset: record.offset,
            key: record.key.map { KeyMark($0) },
            timestamp: record.timestamp,
            room: room
        )
        self.assignments[index].parked.begin(ticket, past)
        self.parkedTickets += 1
        self.metrics.putAside()
        self.table[id].parking = .begun
        self.publish([ticket.record(to: lot.topic, partition: record.partition)], nil, for: id)
    }

    /// The broker does not take the ticket: the record is one like any other.
    func ticketRefused(_ id: EntryID) {
        let (index, offset) = self.table.withEntry(id) { ($0.assignment, $0.offset) }
        self.table[id].parking = .none
        self.dropTicket(of: offset, in: index)
    }

    /// There is no such ticket any more.
    func dropTicket(of offset: Int64, in index: Int) {
        self.assignments[index].parked.remove(offset)
        self.parkedTickets -= 1
    }

    /// A record that came back waits again: its ticket is still there.
    private func forgetUnparked(_ id: EntryID) {
        self.unparkedLeaves(id)
        self.assignments[self.table[id].assignment].inHand -= 1
        self.table.remove(id)
    }

    /// Takes up a record that has just been read, where there are tickets.
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
                "a parked record is gone: its topic was made anew",
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
        self.init(
            attempts: entry.attempts,
            countedFailures: entry.countedFailures,
            ambiguousAttempts: entry.ambiguousAttempts,
            receivedAt: entry.receivedAt,
            firstFailedAt: entry.firstFailedAt,
            lastReason: entry.lastReason.map { ($0.code, $0.message) },
            due: due
        )
    }
}
