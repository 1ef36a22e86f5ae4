import Logging
import Records
import ServiceKit
import WireFormats

// Records that came back from the parking topic: from the read of the record to the end of its ticket.
extension Engine {
    /// Takes a parked record in hand again, with the history that this worker knows of it.
    func takeBack(_ record: InboundRecord, in index: Int) {
        let past = self.assignments[index].parked.past(of: record.offset)
        let end = self.assignments[index].parked[record.offset]?.expiresAt
        let id = self.addUnparked(record, in: index, isFaulty: past?.isFaulty ?? false)
        if let past {
            self.table.withEntry(id) { entry in
                entry.attempts = past.attempts
                entry.countedFailures = past.countedFailures
                entry.ambiguousAttempts = past.ambiguousAttempts
                entry.receivedAt = past.receivedAt
                entry.firstFailedAt = past.firstFailedAt
                entry.lastReason = past.lastReason.map { Reason($0.code, $0.message) }
                entry.hasFailed = past.hasFailed
                entry.failedAlone = past.failedAlone
                entry.failuresAlone = past.failuresAlone
                entry.lastLane = past.lastLane
            }
        }
        if let end { self.table.withEntry(id) { $0.expiresAt = min($0.expiresAt, end) } }
        self.enqueue(id)
    }

    /// Puts a parked record in hand, from which the caller moves it on.
    ///
    /// - Parameter isFaulty: Whether it is probably at fault itself.
    func addUnparked(_ record: InboundRecord, in index: Int, isFaulty: Bool = false) -> EntryID {
        self.assignments[index].parked.takeInHand(record.offset)
        let id = self.add(record, readAt: record.offset, in: index, isNew: false)
        self.table[id].parking = .over
        self.table[id].cameBackFaulty = isFaulty
        self.unparked.cameBack(
            record.key.map { KeyMark($0) },
            bytes: self.table[id].bytes,
            isFaulty: isFaulty
        )
        return id
    }

    /// Takes a record out of the counts of records that came back, because it is settled or waits again.
    func unparkedLeaves(_ id: EntryID) {
        let (key, bytes, isFaulty) = self.table.withEntry(id) { ($0.record.key, $0.bytes, $0.cameBackFaulty) }
        self.unparked.left(key.map { KeyMark($0) }, bytes: bytes, isFaulty: isFaulty)
    }

    /// Finishes a record that came back: its outcome is written and its ticket is taken back. Its offset was
    /// done when it was parked.
    func finishUnparked(_ id: EntryID) {
        let (index, offset) = self.table.withEntry(id) { ($0.assignment, $0.offset) }
        self.unparkedLeaves(id)
        self.dropTicket(of: offset, in: index)
        self.assignments[index].inHand -= 1
    }

    /// Returns the tombstone that takes a record's ticket back; nil if the record has no ticket in the parking
    /// topic.
    func endOfTicket(of id: EntryID) -> OutboundRecord? {
        guard let lot = self.lot, self.table[id].parking != .none else { return nil }
        return self.table.withEntry(id) { entry in
            ParkingTicket.end(of: entry.offset, in: lot.topic, partition: entry.record.partition)
        }
    }

    /// Tells the parked records of each partition whether they keep the order of keys.
    func tellParkedOfOrder() {
        for index in self.assignments.indices {
            self.assignments[index].parked.keepsOrder = self.settings.ordering == .key
        }
    }

    /// Forgets all tickets and the current visit, because nothing is in hand any more.
    func forgetParking() {
        self.recall = nil
        self.unparking = Unparking()
        self.unparked.removeAll()
        for index in self.assignments.indices { self.assignments[index].parked = ParkedRecords() }
        self.tellParkedOfOrder()
        do {
            try self.lot?.memory.stop()
        } catch {
            self.logger.warning("parked records are still read", metadata: ["error": "\(error)"])
        }
    }
}
