import Kafka
import Logging
import Records
import ServiceKit
import WireFormats

// The return of parked records. The engine makes visits: a visit reads one partition of the input again, from
// the oldest record that may come back on, and takes in hand the records whose room is open, in the order of
// their offsets. The number and the bytes of such records in hand are bounded, so that they leave room for
// new ones.
extension Engine {
    private static var batch: Int { 64 }
    /// The number of offsets over which a visit reads on. If the next record that it looks for is further
    /// away, the reader starts anew there.
    private static var leap: Int64 { 2_000 }

    /// The number of parked records that may be taken in hand now. Half of the room in hand is left to new records. A few
    /// may always come to expire: they need no slot.
    private var unparkRoom: Int {
        let toExpire = min(Self.expiringLimit, self.roomBesideSlots)
        return min(self.unparked.room, max((self.roomInHand + 1) / 2, toExpire), Self.batch)
    }

    private static var expiringLimit: Int { 16 }

    /// Whether the records that came back use up their share, or those of them that are probably at fault use up
    /// theirs, while other parked records wait.
    var isUnparkingStuck: Bool {
        (self.unparked.isFull || !self.unparked.hasRoomForFaulty)
            && self.parkedTickets > self.unparked.records
    }

    /// Takes parked records in hand, as far as their rooms are open and there is room for them.
    ///
    /// - Throws: The error of the reader if it is fatal. After any other error a new visit begins a second
    ///   later.
    func unpark() throws(KafkaError) {
        guard let lot = self.lot, self.recall == nil, self.parkedTickets > 0 || self.unparking.visit != nil,
            self.unparkRoom > 0
        else { return }
        do {
            if self.unparking.visit == nil { try self.beginVisit(lot) }
            if self.unparking.visit != nil { try self.readOn(lot) }
        } catch {
            guard !error.isFatal else { throw error }
            self.visitFailed(error)
        }
    }

    /// Whether the engine would take what the reader of the parking lot has to hand over. If not, the thread
    /// need not wake up for it.
    package var awaitsMemory: Bool {
        guard self.phase == .working else { return false }
        guard let recall = self.recall else { return self.unparking.visit != nil && self.unparkRoom > 0 }
        return recall.ends != nil && self.now.monotonic >= recall.retryAt
    }

    private func visitFailed(_ error: KafkaError) {
        if self.unparking.trouble == nil {
            self.logger.warning("parked records cannot be read", metadata: ["error": "\(error)"])
        }
        let since = self.unparking.trouble?.since ?? self.now.monotonic
        self.unparking.trouble = Trouble(error, since: since)
        self.unparking.visit = nil
        self.unparking.nextVisit = self.now.after(.seconds(1))
    }

    /// The monotonic time at which the next visit begins; nil if there is nothing to visit, or no room.
    var nextVisit: Int64? {
        guard self.lot != nil, self.recall == nil, self.unparking.visit == nil,
            self.parkedTickets > self.unparked.records, self.unparkRoom > 0
        else { return nil }
        return self.unparking.nextVisit
    }

    private func beginVisit(_ lot: ParkingLot) throws(KafkaError) {
        guard self.now.monotonic >= self.unparking.nextVisit else { return }
        self.lookWhoAsksSoon()
        // Visits for probes and for all records take turns at being first, so that neither keeps the other
        // out.
        self.unparking.isTurnOfProbes.toggle()
        let areProbesFirst = self.unparking.isTurnOfProbes
        if areProbesFirst, try self.beginVisitForProbes(lot) { return }
        if try self.beginVisitForAll(lot) { return }
        if !areProbesFirst, try self.beginVisitForProbes(lot) { return }
        self.unparking.nextVisit = self.now.after(.seconds(1))
    }

    /// Begins a visit to the next partition with a record that may come back. Every ten seconds, partitions
    /// are searched even if none of their rooms is open, for records whose deadline has passed.
    ///
    /// - Returns: False if no partition has such a record.
    private func beginVisitForAll(_ lot: ParkingLot) throws(KafkaError) -> Bool {
        let isSearch = self.now.monotonic >= self.unparking.nextSearch
        let mayOthersCome = self.roomInHand > 0
        for step in 0..<self.assignments.count {
            let index = (self.unparking.nextIndex + step) % self.assignments.count
            guard
                isSearch
                    || mayOthersCome
                        && self.assignments[index].parked.rooms.keys.contains(where: self.isOpen)
            else { continue }
            self.assignments[index].parked.beginPass()
            guard let wanted = self.nextToCome(in: index) else { continue }
            try self.begin(Unparking.Visit(index, self.assignments[index].partition, wanted: wanted), lot)
            self.unparking.nextIndex = index + 1
            return true
        }
        if isSearch { self.unparking.nextSearch = self.now.after(.seconds(10)) }
        return false
    }

    private func begin(_ visit: Unparking.Visit, _ lot: ParkingLot) throws(KafkaError) {
        try lot.memory.start(at: [visit.partition: visit.wanted])
        self.unparking.visit = visit
    }

    /// Begins a visit that looks for probes of an endpoint in doubt. The records in hand that wait for the
    /// endpoint may all have the same fault, so others come back to be its probes: those that never failed, or else,
    /// now and then, some of those that have failed least.
    ///
    /// - Returns: False if no probe is wanted, or none is parked.
    private func beginVisitForProbes(_ lot: ParkingLot) throws(KafkaError) -> Bool {
        guard self.roomInHand > 0 else { return false }
        for endpoint in self.dispatch.gates.endpoints.indices where self.isProbeWanted(of: endpoint) {
            let room = WaitingRoom.endpoint(self.dispatch.gates.endpoints[endpoint].identity.name)
            for index in self.assignments.indices.shuffled(using: &self.random) {
                guard self.assignments[index].parked.rooms[room] != nil else { continue }
                let probes = self.assignments[index].parked.probes(
                    in: room,
                    before: self.assignments[index].readEnd,
                    at: self.now.monotonic,
                    atMost: Self.probes,
                    using: &self.random
                ) {
                    // A record of a key that is in hand would queue behind the others of its key instead of
                    // being a probe.
                    !self.unparked.has($0)
                }
                guard let first = probes.offsets.first,
                    !probes.haveFailed || self.now.monotonic >= self.unparking.nextProbes
                else { continue }
                let partition = self.assignments[index].partition
                self.unparking.nextProbes = self.now.after(.seconds(2))
                try self.begin(
                    Unparking.Visit(
                        index,
                        partition,
                        wanted: first,
                        probes: Array(probes.offsets.dropFirst())
                    ),
                    lot
                )
                return true
            }
        }
        return false
    }

    /// The number of records that one visit brings back as probes.
    private static var probes: Int { 4 }

    /// Reads on in the current visit, and takes in hand the records that it looks for.
    private func readOn(_ lot: ParkingLot) throws(KafkaError) {
        var arrived: [InboundRecord] = []
        var failure: KafkaError?
        _ = lot.memory.read(atMost: self.unparkRoom) {
            arrived.append($0)
        } _: {
            failure = $0
        }
        if let failure { throw failure }
        self.lookWhoAsksSoon()
        if !arrived.isEmpty {
            self.unparking.trouble = nil
            self.unparked.read(largest: arrived.reduce(1) { max($0, $1.approximateBytes) })
        }
        for record in arrived { self.cameBack(record) }
        // The reader has reached the end of the partition, and the record that is looked for was not among
        // the records that it read.
        while let visit = self.unparking.visit, lot.memory.readEnd(of: visit.partition) != nil {
            self.unparking.trouble = nil
            self.isGone(visit)
        }
        guard let visit = self.unparking.visit else { return try lot.memory.stop() }
        guard visit.wanted - visit.position > Self.leap else { return }
        try lot.memory.start(at: [visit.partition: visit.wanted])
        self.unparking.visit?.position = visit.wanted
    }

    /// Takes in a record that the visit has read. A record with a smaller offset that was looked for is gone.
    private func cameBack(_ record: InboundRecord) {
        while let visit = self.unparking.visit, visit.wanted < record.offset { self.isGone(visit) }
        guard let visit = self.unparking.visit else { return }
        self.unparking.visit?.position = record.offset + 1
        guard visit.wanted == record.offset else { return }
        defer { self.goOn(after: visit) }
        guard let parked = self.assignments[visit.index].parked[visit.wanted], parked.state == .parked,
            self.mayStillCome(visit)
        else { return }
        if parked.ticket.fits(record) { self.takeBack(record, in: visit.index) } else { self.isGone(visit) }
    }

    /// Returns whether the record that is looked for may still come back. Another record of its key may have
    /// been parked before it meanwhile.
    private func mayStillCome(_ visit: Unparking.Visit) -> Bool {
        guard visit.probes == nil else {
            return self.assignments[visit.index].parked.isFirstOfItsKey(visit.wanted)
        }
        return self.nextToCome(in: visit.index) == visit.wanted
    }

    /// Moves the visit to the next record to look for, or ends it.
    private func goOn(after visit: Unparking.Visit) {
        guard self.unparking.visit?.wanted == visit.wanted else { return }
        guard let next = self.next(after: visit) else {
            self.unparking.visit = nil
            self.unparking.nextVisit = self.now.after(.milliseconds(100))
            return
        }
        self.unparking.visit?.wanted = next
    }

    private func next(after visit: Unparking.Visit) -> Int64? {
        guard var probes = visit.probes else {
            self.assignments[visit.index].parked.pass(visit.wanted)
            return self.nextToCome(in: visit.index)
        }
        guard !probes.isEmpty else { return nil }
        let next = probes.removeFirst()
        self.unparking.visit?.probes = probes
        return next
    }

    /// Makes a dead letter of a parked record that the input no longer has: retention or compaction has
    /// removed it, or the topic was deleted and created again.
    private func isGone(_ visit: Unparking.Visit) {
        defer { self.goOn(after: visit) }
        guard let parked = self.assignments[visit.index].parked[visit.wanted], parked.state == .parked else {
            return
        }
        let pointer = InboundRecord(
            topic: visit.partition.topic,
            partition: visit.partition.partition,
            offset: visit.wanted,
            timestamp: parked.ticket.timestamp
        )
        let id = self.addUnparked(pointer, in: visit.index)
        let reason = Reason(
            "parked.gone",
            "The record was parked, and its topic had no such record any more when it was to be read again."
        )
        self.deadLetter(id, Rejection(reason, kind: .rejected, replayable: .no))
    }
}
