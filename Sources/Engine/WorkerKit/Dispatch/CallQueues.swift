import ServiceKit

/// The records that wait until a call can be made for them, in four places. A record is in the place that its
/// state in the table names, and only the methods of this value move it there.
///
/// Ids of records that have left a place by another way, for example by their deadline, can lie there for a
/// while. Each method that takes a record out looks at its state first.
struct CallQueues: Sendable {
    /// The records that wait for a slot, which is one of the calls that may be in flight.
    private(set) var ready = ReadyRecords()
    /// For each endpoint, in the order of the handler's list: the records whose calls to it may not be made
    /// now.
    private(set) var blocked: [ReadyRecords]
    /// For each endpoint: whether its last probe came from the ready queue, and not from `blocked`.
    private var wasUnplanned: [Bool]
    /// The ready record that was taken out last to be a probe, and the endpoint that it was to probe.
    private var unplanned: (id: EntryID, endpoint: Int)?
    /// The records that wait for held lanes, by the name of the lane. A lane without waiting records has no
    /// entry.
    private(set) var held: [String: HeldRecords] = [:]
    /// The records that wait for their next attempt, each with the monotonic time of that attempt.
    private(set) var backingOff = DueQueue<EntryID>()

    init(endpoints: Int) {
        self.blocked = [ReadyRecords](repeating: ReadyRecords(), count: endpoints)
        self.wasUnplanned = [Bool](repeating: false, count: endpoints)
    }

    var haveBlocked: Bool { self.blocked.contains { !$0.isEmpty } }

    /// Whether a record is ready or blocked for which a call has failed.
    var haveFailed: Bool { self.ready.failedCount > 0 || self.blocked.contains { $0.failedCount > 0 } }

    var isEmpty: Bool {
        self.ready.isEmpty && !self.haveBlocked && self.held.isEmpty && self.backingOff.count == 0
    }

    // MARK: into a place

    /// Lets a record wait for a slot.
    ///
    /// - Parameter next: The call to make then; nil if the record is to be planned.
    mutating func makeReady(_ id: EntryID, with next: FollowUp?, in table: inout RecordTable) {
        table.move(id, to: .ready(next))
        self.ready.append(id, failures: Self.failures(of: id, in: &table))
    }

    /// Lets a record wait for a slot if it is still in this state. It keeps its follow-up call.
    mutating func makeReady(_ id: EntryID, from kind: RecordState.Kind, in table: inout RecordTable) {
        guard table.kind(of: id) == kind else { return }
        self.makeReady(id, with: table.followUp(of: id), in: &table)
    }

    /// Lets a record wait for an endpoint.
    mutating func block(_ id: EntryID, at endpoint: Int, in table: inout RecordTable) {
        table.move(id, to: .blocked(table.followUp(of: id)))
        let failures = Self.failures(of: id, in: &table) ?? (table[id].holds > 0 ? 0 : nil)
        self.blocked[endpoint].append(id, failures: failures)
        self.giveBackTurn(of: id, waitingFor: endpoint)
    }

    /// Lets another ready record be the probe in place of one that now waits for something else. Otherwise many
    /// records of a second endpoint in doubt would take every second probe away, and the other half would all be of the
    /// same records.
    private mutating func giveBackTurn(of id: EntryID, waitingFor endpoint: Int?) {
        guard let asked = self.unplanned, asked.id == id, asked.endpoint != endpoint else { return }
        self.wasUnplanned[asked.endpoint] = false
    }

    /// Returns how often calls for a record have failed while others succeeded; nil if none has failed at all.
    private static func failures(of id: EntryID, in table: inout RecordTable) -> Int? {
        table.withEntry(id) { $0.hasFailed ? $0.failuresAlone : nil }
    }

    /// Lets a record wait until its lane is open again, or until it is chosen as the lane's probe.
    mutating func hold(_ id: EntryID, along lane: String, in table: inout RecordTable) {
        table.move(id, to: .held(table.followUp(of: id)))
        self.held[lane, default: HeldRecords()].append(id, isSuspect: table[id].holds > 0)
        self.giveBackTurn(of: id, waitingFor: nil)
    }

    /// Lets a record wait for its next attempt until this monotonic time.
    mutating func backOff(
        _ id: EntryID,
        until due: Int64,
        because cause: RecordState.BackoffCause,
        in table: inout RecordTable
    ) {
        table.move(id, to: .backingOff(table.followUp(of: id), cause))
        self.backingOff.add(id, due: due)
        if case .delay = cause { self.giveBackTurn(of: id, waitingFor: nil) }
    }

    /// Lets the records that their publishers have delayed be looked at now, because the clock was wrong.
    mutating func lookAtDelaysAgain(in table: RecordTable, at now: Int64) {
        let ids = Set(self.backingOff.elements.map(\.element).filter(table.isDelayed))
        guard !ids.isEmpty else { return }
        self.backingOff.keep { !ids.contains($0) }
        for id in ids { self.backingOff.add(id, due: now) }
    }

    // MARK: out of a place

    /// Removes and returns the ready record that is next; nil if there is none that may go.
    ///
    /// - Parameters:
    ///   - isInDoubt: Whether some upstream is not known to be well.
    ///   - outliersLimit: The number of calls that may be in flight for records which fail where others
    ///     succeed. Endpoints with such calls share it, so that slow ones leave some to the others.
    ///   - outlierShares: The most such calls to each endpoint, whatever that limit leaves to it; empty for no such bound.
    ///   - isClosed: Returns whether the breaker of an endpoint is closed.
    mutating func popReady(
        from table: inout RecordTable,
        isInDoubt: Bool,
        outliersLimit: Int,
        outlierShares: [Int],
        isClosed: (_ endpoint: Int) -> Bool,
        using random: inout SplitMix64
    ) -> EntryID? {
        let blocked = self.blocked
        while let id = self.ready.pop(
            isInDoubt: isInDoubt,
            using: &random,
            mayFail: { id in
                Self.mayFail(
                    id,
                    from: .ready,
                    beside: { isClosed($0) ? blocked[$0].failedCount : 0 },
                    in: &table,
                    outliersLimit: outliersLimit,
                    outlierShares: outlierShares
                )
            }
        ) {
            if table.kind(of: id) == .ready { return id }
        }
        return nil
    }

    /// Returns whether a call may be made for a record that has failed, or the record has left this place. Also a record
    /// that came back from the parking topic takes its turn among the outliers: if it is sound, its call is short.
    ///
    /// - Parameters:
    ///   - endpoint: The endpoint that it is to call; nil for the one that it has called last, as far as is known.
    ///   - waiting: Returns the number of such records that wait for a slot of an endpoint. With many of them
    ///     there, the endpoint would seem to have no use for parked records.
    private static func mayFail(
        _ id: EntryID,
        at endpoint: Int? = nil,
        from kind: RecordState.Kind,
        beside waiting: (_ endpoint: Int) -> Int,
        in table: inout RecordTable,
        outliersLimit: Int,
        outlierShares: [Int]
    ) -> Bool {
        guard table.kind(of: id) == kind, table[id].failedAlone else { return true }
        let endpoint = endpoint ?? table[id].lastEndpoint
        let ofAll = outliersLimit / (1 + table.endpointsOfOutliers(beside: endpoint))
        let share = outlierShares.indices.contains(endpoint) ? min(ofAll, outlierShares[endpoint]) : ofAll
        return table.outlierCalls(to: endpoint) + waiting(endpoint) < max(1, share)
    }

    /// Removes and returns the record that is to call this endpoint next; nil if none that waits for it may go. The
    /// record is ready then.
    ///
    /// Where the endpoint is in doubt, ready records that no call has failed for are chosen by turns with those
    /// that wait here, which came first and may all have the same fault. The endpoint of a ready record is
    /// known once it is planned.
    ///
    /// - Parameters:
    ///   - isClosed: Whether the breaker of the endpoint is closed.
    ///   - isWell: Whether it has been closed for a while, and calls are answered.
    ///   - outliersLimit: As for `popReady`, while the breaker is closed; `outlierShares` too.
    mutating func popBlocked(
        at endpoint: Int,
        from table: inout RecordTable,
        isClosed: Bool,
        isWell: Bool,
        outliersLimit: Int,
        outlierShares: [Int],
        using random: inout SplitMix64
    ) -> EntryID? {
        while !self.blocked[endpoint].isEmpty {
            if !isClosed, self.isTurnOfUnplanned(at: endpoint), self.ready.freshCount > 0,
                let id = self.ready.pop(isInDoubt: true, using: &random, mayFail: { _ in false })
            {
                guard table.kind(of: id) == .ready else {
                    self.wasUnplanned[endpoint] = false
                    continue
                }
                self.unplanned = (id, endpoint)
                return id
            }
            guard
                let id = self.blocked[endpoint].pop(
                    isInDoubt: !isWell,
                    using: &random,
                    mayFail: { id in
                        !isClosed
                            || Self.mayFail(
                                id,
                                at: endpoint,
                                from: .blocked,
                                beside: { _ in 0 },
                                in: &table,
                                outliersLimit: outliersLimit,
                                outlierShares: outlierShares
                            )
                    }
                )
            else { return nil }
            guard table.kind(of: id) == .blocked else { continue }
            table.move(id, to: .ready(table.followUp(of: id)))
            return id
        }
        return nil
    }

    /// Returns whether the next probe of an endpoint in doubt comes from the ready queue. A record that has
    /// failed is the next probe only if no fresh record can be.
    private mutating func isTurnOfUnplanned(at endpoint: Int) -> Bool {
        self.wasUnplanned[endpoint].toggle()
        return self.wasUnplanned[endpoint] || self.blocked[endpoint].freshCount == 0
    }

    /// Removes and returns a record that waits for this lane, as its next probe.
    mutating func popProbe(of lane: String, using random: inout SplitMix64) -> EntryID? {
        let id = self.held[lane]?.popProbe(using: &random)
        // A lane without waiting records is removed, so that its next probe wakes nobody.
        if self.held[lane]?.isEmpty == true { self.held[lane] = nil }
        return id
    }

    /// Removes and returns all records that wait for this lane.
    mutating func popAll(of lane: String) -> HeldRecords? { self.held.removeValue(forKey: lane) }

    /// Moves the records whose next attempt is due to the ready queue.
    mutating func wakeDue(in table: inout RecordTable, at now: Int64) {
        while let id = self.backingOff.popDue(at: now) { self.makeReady(id, from: .backingOff, in: &table) }
    }

    /// Brings forward the next attempt of records that failed while an endpoint was in doubt: it comes within
    /// a second now that the endpoint is well. Otherwise a probe of a long outage would wait out a long backoff
    /// for a fault that was not its own.
    mutating func shortenWaits(
        for endpoint: Int,
        in table: inout RecordTable,
        at now: Int64,
        using random: inout SplitMix64
    ) {
        let waiting = self.backingOff.elements.filter { id, _ in
            guard table.isCurrent(id), case .backingOff(_, .doubt) = table[id].state else { return false }
            return table[id].lastEndpoint == endpoint
        }
        guard !waiting.isEmpty else { return }
        let ids = Set(waiting.map(\.element))
        self.backingOff.keep { !ids.contains($0) }
        for (id, due) in waiting {
            let pause = Duration.milliseconds(Int.random(in: 0...1_000, using: &random))
            self.backingOff.add(id, due: min(due, now.addingClamped(pause.wholeNanoseconds)))
        }
    }

    /// Removes records from the place of this state, whatever the table says of them now. The caller moves
    /// them on.
    mutating func remove(from place: RecordState.Kind, where isLeaving: (EntryID) -> Bool) {
        switch place {
        case .ready: self.ready.keep { !isLeaving($0) }
        case .blocked: for index in self.blocked.indices { self.blocked[index].keep { !isLeaving($0) } }
        case .backingOff: self.backingOff.keep { !isLeaving($0) }
        case .held:
            for lane in self.held.keys {
                self.held[lane]?.keep { !isLeaving($0) }
                if self.held[lane]?.isEmpty == true { self.held[lane] = nil }
            }
        case .arrived, .queued, .calling, .condemned, .settling, .resending, .waiting, .written: break
        }
    }

    /// Forgets all records, because none is in hand any more.
    mutating func removeAll() {
        self.ready = ReadyRecords()
        for index in self.blocked.indices { self.blocked[index] = ReadyRecords() }
        self.backingOff = DueQueue()
        self.held = [:]
    }
}
