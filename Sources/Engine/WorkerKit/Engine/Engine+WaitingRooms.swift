import ServiceKit

// The conditions that parked records wait for, and which of them have come.
extension Engine {
    /// The number of records in hand that never failed and wait for an endpoint in doubt. While there are
    /// fewer, more probes are looked for. The records in hand came first, and may all have the same fault.
    private static var freshLimit: Int { 32 }

    /// Returns whether an endpoint is in doubt and not too many records without a failure wait for it in hand.
    func isProbeWanted(of endpoint: Int) -> Bool {
        let state = self.dispatch.gates.endpoints[endpoint]
        guard state.breaker.state != .closed, !state.isPaused else { return false }
        let fresh = self.dispatch.queues.blocked[endpoint].freshCount
        return fresh == 0 || fresh < Self.freshLimit && self.now.monotonic >= self.unparking.nextProbes
    }

    /// Returns the offset of the next parked record of this partition that may come back; nil if there is
    /// none.
    func nextToCome(in index: Int) -> Int64? {
        let oldest = self.oldestTimestamp
        let end = self.assignments[index].readEnd
        let hasRoom = self.roomInHand > 0
        return self.assignments[index].parked.next {
            $0.offset < end && self.mayCome($0, $1, oldest: oldest, hasRoom: hasRoom)
        }?.offset
    }

    /// The timestamp before which a record is past its deadline, in milliseconds since 1970.
    private var oldestTimestamp: Int64 {
        self.deadlineNow.subtractingClamped(self.settings.deadline.wholeMilliseconds)
    }

    /// Returns whether a parked record may come back now. A record whose deadline has passed comes back to
    /// expire, even if its room is closed.
    ///
    /// - Parameters:
    ///   - oldest: The timestamp before which a record is past its deadline by the wall clock.
    ///   - hasRoom: Whether there is room in hand for a record that is to be called for.
    private func mayCome(
        _ record: ParkedRecords.Record,
        _ past: ParkedRecords.Past?,
        oldest: Int64,
        hasRoom: Bool
    ) -> Bool {
        if let key = record.ticket.key, !self.unparked.hasRoom(for: key) { return false }
        if let timestamp = record.ticket.timestamp, timestamp < oldest { return true }
        // A wall clock that steps back must not keep a record for ever.
        if record.expiresAt <= self.now.monotonic { return true }
        guard hasRoom else { return false }
        guard let past else { return self.isOpen(record.room) }
        guard !past.isFaulty || self.unparked.hasRoomForFaulty else { return false }
        return past.due <= self.now.monotonic && self.isOpen(record.room)
    }

    /// Returns whether the condition that a parked record waits for has come.
    func isOpen(_ room: WaitingRoom) -> Bool {
        switch room {
        case .any: self.dispatch.gates.endpoints.indices.contains(where: self.isOpen)
        case .endpoint(let name):
            // An endpoint that the handler no longer has keeps no record waiting.
            self.dispatch.gates.endpoints.firstIndex { $0.identity.name == name }.map(self.isOpen) ?? true
        case .lane(let lane):
            (self.dispatch.gates.lanes.isOpen(lane)
                || self.dispatch.queues.held[lane] == nil
                    && self.dispatch.gates.lanes.admits(lane, at: self.now.monotonic))
                && self.isOpen(.any)
        case .budget(let lane, let reason):
            self.condemned.waiting[self.condemned.account(lane: lane, reason: reason)] == nil
                && self.isOpen(.any)
        }
    }

    /// Returns whether an endpoint has a use for parked records.
    ///
    /// If its breaker is closed, it has, unless enough records in hand wait for its rate or its slots. If its
    /// breaker is not closed, it has if no record in hand will be its next probe. Lanes follow the same rule.
    private func isOpen(_ endpoint: Int) -> Bool {
        let state = self.dispatch.gates.endpoints[endpoint]
        let blocked = self.dispatch.queues.blocked[endpoint].count
        guard !state.isPaused else { return false }
        guard state.breaker.state != .closed else { return blocked < Self.blockedLimit }
        return blocked == 0 && self.table.calls(to: endpoint) == 0
            && !self.unparking.askedSoon.contains(endpoint)
            && state.admits(at: self.now.monotonic)
    }

    private static var blockedLimit: Int { 16 }

    /// Finds the endpoints that a record in hand will call when its wait is over. A search through all
    /// waiting records takes time, so it is made once for many parked records.
    func lookWhoAsksSoon() {
        self.unparking.askedSoon = []
        guard !self.dispatch.gates.endpoints.areAllClosed else { return }
        for (id, _) in self.dispatch.queues.backingOff.elements
        where self.table.kind(of: id) == .backingOff && !self.isDelayed(id) {
            self.unparking.askedSoon.insert(self.table[id].lastEndpoint)
        }
    }
}
