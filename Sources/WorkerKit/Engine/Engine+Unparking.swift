import Kafka
import Logging
import Records
import WireFormats

// The way back: a visit goes to one partition, reads it from the oldest record that may come, and takes those in hand whose
// room is open, in the order of their offsets. What they may take up in hand is bounded, so that they do not stand in the
// way of what comes in.
extension Engine {
    /// Records in hand that came back, at most.
    var unparkedLimit: Int { max(1, min(1_000, self.settings.recordsLimit / 4)) }
    var unparkedBytesLimit: Int { self.settings.bytesLimit / 4 }
    /// Those of one key, at most: one after the other, they take time.
    private static var keyLimit: Int { 64 }
    private static var batch: Int { 64 }
    /// A visit reads on over so many records that nobody wants, rather than begin anew.
    private static var leap: Int64 { 2_000 }

    private var unparkRoom: Int {
        guard self.unparking.bytes < self.unparkedBytesLimit else { return 0 }
        // What comes in has the other half.
        let forBytes = (self.unparkedBytesLimit - self.unparking.bytes) / self.unparking.largest + 1
        return min(
            self.unparkedLimit - self.unparking.records,
            (self.roomInHand + 1) / 2,
            forBytes,
            Self.batch
        )
    }

    /// Records that came back fill their share, and others could come.
    var isUnparkingStuck: Bool {
        guard self.parkedTickets > self.unparking.records else { return false }
        return self.unparking.records >= self.unparkedLimit || self.unparking.bytes >= self.unparkedBytesLimit
    }

    /// Takes parked records in hand, as far as they may come and there is room.
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

    /// Whether what the parking lot's memory has to hand over would be taken.
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

    /// When the next visit begins; nil if there is nothing to visit.
    var nextVisit: Int64? {
        guard self.lot != nil, self.recall == nil, self.unparking.visit == nil,
            self.parkedTickets > self.unparking.records, self.unparkRoom > 0
        else { return nil }
        return self.unparking.nextVisit
    }

    private func beginVisit(_ lot: ParkingLot) throws(KafkaError) {
        guard self.now.monotonic >= self.unparking.nextVisit else { return }
        self.lookWhoAsksSoon()
        // By turns: neither may keep the other from coming back.
        self.unparking.isTurnOfProbes.toggle()
        let areProbesFirst = self.unparking.isTurnOfProbes
        if areProbesFirst, try self.beginVisitForProbes(lot) { return }
        if try self.beginVisitForAll(lot) { return }
        if !areProbesFirst, try self.beginVisitForProbes(lot) { return }
        self.unparking.nextVisit = self.now.after(.seconds(1))
    }

    private func beginVisitForAll(_ lot: ParkingLot) throws(KafkaError) -> Bool {
        let isSearch = self.now.monotonic >= self.unparking.nextSearch
        for step in 0..<self.assignments.count {
            let index = (self.unparking.nextIndex + step) % self.assignments.count
            guard isSearch || self.assignments[index].parked.rooms.keys.contains(where: self.isOpen) else {
                continue
            }
            self.assignments[index].parked.beginPass()
            guard let wanted = self.nextToCome(in: index) else { continue }
            try self.begin(Unparking.Visit(index, self.assignments[index].partition, wanted), lot)
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

    /// All in hand that wait for an endpoint in doubt may have the same fault: records that never failed come back to be
    /// its probes.
    private func beginVisitForProbes(_ lot: ParkingLot) throws(KafkaError) -> Bool {
        for endpoint in self.endpoints.indices where self.isProbeWanted(of: endpoint) {
            let room = WaitingRoom.endpoint(self.endpoints[endpoint].identity.name)
            for index in self.assignments.indices.shuffled(using: &self.random) {
                guard self.assignments[index].parked.rooms[room] != nil else { continue }
                let probes = self.assignments[index].parked.fresh(
                    in: room,
                    before: self.assignments[index].readEnd,
                    at: self.now.monotonic,
                    atMost: Self.probes,
                    using: &self.random
                ) {
                    // It would wait in hand behind the others of its key.
                    self.unparking.keys[$0] == nil
                }
                guard let first = probes.first else { continue }
                let partition = self.assignments[index].partition
                self.unparking.nextProbes = self.now.after(.seconds(2))
                try self.begin(
                    Unparking.Visit(index, partition, first, probes: Array(probes.dropFirst())),
                    lot
                )
                return true
            }
        }
        return false
    }

    /// Records that one visit brings back to be probes.
    private static var probes: Int { 4 }

    /// Those in hand that never failed and wait for an endpoint in doubt: while there are fewer, more are looked for.
    private static var freshLimit: Int { 32 }

    /// Whether the endpoint is in doubt, and few in hand wait for it that never failed. Even those few may all have the
    /// same fault.
    private func isProbeWanted(of endpoint: Int) -> Bool {
        let state = self.endpoints[endpoint]
        guard state.breaker.state != .closed else { return false }
        return state.blocked.freshCount == 0
            || state.blocked.freshCount < Self.freshLimit && self.now.monotonic >= self.unparking.nextProbes
    }

    private func nextToCome(in index: Int) -> Int64? {
        let (now, oldest) = (self.now.monotonic, self.oldestTimestamp)
        let end = self.assignments[index].readEnd
        return self.assignments[index].parked.next(at: now) {
            $0.offset < end && self.mayCome($0, oldest, isDue: $1)
        }?.offset
    }

    /// Records with an earlier timestamp are past their deadline.
    private var oldestTimestamp: Int64 {
        self.deadlineNow.subtractingClamped(self.settings.deadline.wholeMilliseconds)
    }

    private func mayCome(_ record: ParkedRecords.Record, _ oldest: Int64, isDue: Bool) -> Bool {
        if let key = record.ticket.key, self.unparking.keys[key, default: 0] >= Self.keyLimit { return false }
        if let timestamp = record.ticket.timestamp, timestamp < oldest { return true }
        return isDue && self.isOpen(record.room)
    }

    private func isOpen(_ room: WaitingRoom) -> Bool {
        switch room {
        case .any: self.endpoints.indices.contains(where: self.isOpen)
        case .endpoint(let name):
            // An endpoint that nobody has a name for any more keeps nobody.
            self.endpoints.firstIndex { $0.identity.name == name }.map(self.isOpen) ?? true
        case .lane(let lane):
            (self.lanes.isOpen(lane)
                || self.held[lane] == nil && self.lanes.admits(lane, at: self.now.monotonic))
                && self.isOpen(.any)
        case .budget(let lane, let reason):
            self.condemned[self.budgets.account(lane: lane, reason: reason)] == nil && self.isOpen(.any)
        }
    }

    /// Whether an endpoint has a use for more records: not where those in hand wait for its rate, or for their share of
    /// slots. Where nobody in hand will be the probe of an endpoint in doubt, a parked record is; so it is with lanes.
    private func isOpen(_ endpoint: Int) -> Bool {
        let state = self.endpoints[endpoint]
        guard state.breaker.state != .closed else { return state.blocked.count < Self.blockedLimit }
        return state.blocked.isEmpty && state.callsInFlight == 0
            && !self.unparking.askedSoon.contains(endpoint)
            && state.admits(at: self.now.monotonic)
    }

    private static var blockedLimit: Int { 16 }

    /// To look through all that wait for their next try takes time, so it is done once for many records.
    private func lookWhoAsksSoon() {
        self.unparking.askedSoon = []
        guard !self.endpoints.areAllClosed else { return }
        for (id, _) in self.backingOff.elements where self.table.state(of: id) == .backingOff {
            self.unparking.askedSoon.insert(self.table[id].endpoint)
        }
    }

    private func readOn(_ lot: ParkingLot) throws(KafkaError) {
        var arrived: [InboundRecord] = []
        var failure: KafkaError?
        _ = lot.memory.read(atMost: self.unparkRoom) {
            arrived.append($0)
        } _: {
            failure = $0
        }
        if let failure { return self.visitFailed(failure) }
        self.lookWhoAsksSoon()
        if !arrived.isEmpty {
            self.unparking.trouble = nil
            self.unparking.largest = arrived.reduce(1) { max($0, $1.approximateBytes) }
        }
        for record in arrived { self.cameBack(record) }
        // Everything that there is has been read, and what is looked for was not among it.
        while let visit = self.unparking.visit, lot.memory.readEnd(of: visit.partition) != nil {
            self.unparking.trouble = nil
            self.isGone(visit)
        }
        guard let visit = self.unparking.visit else { return try lot.memory.stop() }
        guard visit.wanted - visit.position > Self.leap else { return }
        try lot.memory.start(at: [visit.partition: visit.wanted])
        self.unparking.visit?.position = visit.wanted
    }

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

    /// The record that was looked for may have been put behind another one meanwhile.
    private func mayStillCome(_ visit: Unparking.Visit) -> Bool {
        guard visit.probes == nil else {
            return self.assignments[visit.index].parked.isFirstOfItsKey(visit.wanted)
        }
        return self.nextToCome(in: visit.index) == visit.wanted
    }

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

    private func takeBack(_ record: InboundRecord, in index: Int) {
        let past = self.assignments[index].parked.past(of: record.offset)
        let id = self.addUnparked(record, in: index)
        if let past {
            self.table.withEntry(id) { entry in
                entry.attempts = past.attempts
                entry.countedFailures = past.countedFailures
                entry.ambiguousAttempts = past.ambiguousAttempts
                entry.receivedAt = past.receivedAt
                entry.firstFailedAt = past.firstFailedAt
                entry.lastReason = past.lastReason.map { Reason($0.code, $0.message) }
                entry.hasFailed = past.countedFailures > 0
            }
        }
        self.enqueue(id)
    }

    private func addUnparked(_ record: InboundRecord, in index: Int) -> EntryID {
        self.assignments[index].parked.takeInHand(record.offset)
        let id = self.add(record, readAt: record.offset, in: index, isNew: false)
        self.table[id].parking = .over
        self.unparking.records += 1
        self.unparking.bytes += self.table[id].bytes
        if let key = record.key { self.unparking.keys[KeyMark(key), default: 0] += 1 }
        return id
    }

    /// The input has no such record any more: retention has taken it, or the topic was made anew.
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

    /// A record that came back is settled, or waits again.
    func unparkedLeaves(_ id: EntryID) {
        let (key, bytes) = self.table.withEntry(id) { ($0.record.key, $0.bytes) }
        self.unparking.records -= 1
        self.unparking.bytes -= bytes
        guard let key else { return }
        let mark = KeyMark(key)
        let left = self.unparking.keys[mark, default: 1] - 1
        self.unparking.keys[mark] = left > 0 ? left : nil
    }

    /// Its outcome is written, and its ticket is taken back.
    func finishUnparked(_ id: EntryID) {
        let (index, offset) = self.table.withEntry(id) { ($0.assignment, $0.offset) }
        self.unparkedLeaves(id)
        self.dropTicket(of: offset, in: index)
        self.assignments[index].inHand -= 1
    }

    /// What takes the ticket back, if the record came back.
    func endOfTicket(of id: EntryID) -> [OutboundRecord] {
        guard let lot = self.lot, [.over, .stale].contains(self.table[id].parking) else { return [] }
        return self.table.withEntry(id) { entry in
            [ParkingTicket.end(of: entry.offset, in: lot.topic, partition: entry.record.partition)]
        }
    }

    /// Nothing is in hand any more.
    func forgetParking() {
        self.recall = nil
        self.unparking = Unparking()
        self.parkedTickets = 0
        do {
            try self.lot?.memory.stop()
        } catch {
            self.logger.warning("parked records are still read", metadata: ["error": "\(error)"])
        }
    }
}
