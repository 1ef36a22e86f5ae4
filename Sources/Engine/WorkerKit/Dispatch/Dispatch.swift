import ServiceKit
import UpstreamHTTP
import WireFormats

/// The way of a record from the ready queue to its call, and from the answer back to a place where it waits.
///
/// `queues` says which record is next, `gates` whether a call may be made now. This value joins the two with
/// the table of records: it chooses the next record (`nextReady`, `nextBlocked`), starts its call or puts the
/// record where it waits (`callWanted`), and learns from the answer (`answered`, `failed` ...). The engine
/// around it asks the handler, talks to the upstream, logs and counts.
///
/// The value has no clock: all times are monotonic nanoseconds. The engine lends it the table for each step. The
/// table is lent `inout` also where it is only read, because a copy of it would retain all that it holds.
struct Dispatch: Sendable {
    var queues: CallQueues
    var gates: CallGates
    /// The number of the last call. Each call has a larger number than the calls before it.
    private var lastCall: UInt64 = 0
    /// The time of the last look for overdue calls.
    var lookedAt: Int64 = .min
    /// The time at which the engine last asked for overdue calls, whether there was a look or not.
    var askedAt: Int64 = .min
    /// The waits of records that asked for a hold.
    let holdBackoff: Backoff

    /// A change that the log and the metrics are to show.
    struct Change: Equatable {
        /// The endpoint whose breaker has another state now.
        var breaker: Int?
        /// The lanes that are open again, `Lanes.upstream` for the whole upstream.
        var openLanes: [String] = []
    }

    /// The place of a record that is to make a call.
    enum Place: Equatable {
        /// The call has begun; `change` is to be told.
        case calling(Change)
        case blocked
        case held
    }

    init(_ endpoints: [UpstreamEndpoint], _ settings: EngineSettings) {
        self.queues = CallQueues(endpoints: endpoints.count)
        self.gates = CallGates(endpoints, settings)
        self.holdBackoff = settings.lanes.backoff
    }

    // MARK: the next record

    /// Takes out the record that is next; nil if no call may begin, or no record may go.
    ///
    /// The endpoint of a record is known only after the handler has planned it. So while no endpoint may be
    /// called, no record is taken out.
    mutating func nextReady(in table: inout RecordTable, at now: Int64, using random: inout SplitMix64)
        -> EntryID?
    {
        guard self.hasSlot(&table, at: now), self.gates.endpoints.admitSome(at: now) else { return nil }
        let endpoints = self.gates.endpoints
        return self.queues.popReady(
            from: &table,
            isInDoubt: !self.gates.endpoints.areAllWell(at: now),
            outliersLimit: self.outliersLimit(at: now),
            outlierShares: self.outlierShares(at: now),
            isClosed: { endpoints[$0].breaker.state == .closed },
            using: &random
        )
    }

    /// Takes out the record that is to call this endpoint next, for which records wait; nil if the endpoint may
    /// not be called, or none waits.
    mutating func nextBlocked(
        at endpoint: Int,
        in table: inout RecordTable,
        at now: Int64,
        using random: inout SplitMix64
    ) -> EntryID? {
        guard !self.queues.blocked[endpoint].isEmpty, self.hasSlot(&table, at: now),
            self.gates.admits(endpoint, callsOut: table.callsInFlight(to: endpoint), at: now)
        else { return nil }
        return self.queues.popBlocked(
            at: endpoint,
            from: &table,
            isClosed: self.gates.endpoints[endpoint].breaker.state == .closed,
            isWell: self.gates.endpoints[endpoint].isWell(at: now),
            outliersLimit: self.outliersLimit(at: now),
            outlierShares: self.outlierShares(at: now),
            using: &random
        )
    }

    /// Returns the number of calls in flight for records that fail where others succeed. If each of them hangs until its
    /// timeout, other records must still find slots.
    private func outliersLimit(at now: Int64) -> Int { self.gates.pace.callLimit(at: now) / 4 }

    /// Returns for each endpoint the most calls for such records: half of its own share. Empty where there is one endpoint, or
    /// no such record waits.
    private func outlierShares(at now: Int64) -> [Int] {
        guard self.gates.endpoints.count > 1, self.queues.haveFailed else { return [] }
        return self.gates.endpoints.indices.map { max(1, self.gates.callsAllowed(to: $0, at: now) / 2) }
    }

    /// Returns whether a slot is free, and this worker's rate allows a call.
    private func hasSlot(_ table: inout RecordTable, at now: Int64) -> Bool {
        self.gates.haveSlot(beside: &table, at: now) && self.gates.pace.nextByRate(at: now) == nil
    }

    /// Returns the earliest time at which a call may be made that may not be made now, a probe of a held lane
    /// included, or at which calls may be overdue. Nil if no record waits for a time: records may be called for now, or
    /// wait for an event.
    func nextCall(in table: inout RecordTable, at now: Int64) -> Int64? {
        let someAreBlocked = self.queues.haveBlocked
        if !self.queues.ready.isEmpty, !self.gates.endpoints.admitSome(at: now),
            let until = self.gates.endpoints.nextAdmission(at: now, where: { _ in true })
        {
            return until
        }
        if !self.queues.ready.isEmpty || someAreBlocked,
            let until = self.gates.pace.nextByRate(at: now)
        {
            return until
        }
        // This is asked in each turn, so nothing is allocated for it.
        var next = self.nextOverdue(in: &table, at: now) ?? .max
        if !self.queues.ready.isEmpty || someAreBlocked {
            next = min(next, self.gates.pace.dipEnd(at: now) ?? .max)
        }
        // Only endpoints with blocked records count. An endpoint without them needs no wake-up: the next
        // record that has to call it can be its probe.
        if someAreBlocked {
            let admission = self.gates.endpoints.nextAdmission(at: now) { !self.queues.blocked[$0].isEmpty }
            next = min(next, admission ?? .max)
            for endpoint in self.queues.blocked.indices where !self.queues.blocked[endpoint].isEmpty {
                next = min(next, self.gates.moreSlots(for: endpoint, at: now) ?? .max)
            }
        }
        for lane in self.queues.held.keys { next = min(next, self.gates.lanes.nextProbe(of: lane) ?? .max) }
        return next == .max ? nil : next
    }

    // MARK: the call

    /// Begins the call of a ready record, or puts the record where it waits.
    mutating func callWanted(
        by id: EntryID,
        _ call: Call<any Sendable>,
        in table: inout RecordTable,
        at now: Int64
    ) -> Place {
        let callsOut = table.callsInFlight(to: call.endpoint)
        switch self.gates.mayCall(call.endpoint, on: call.lane, callsOut: callsOut, at: now) {
        case .open: return .calling(self.start(id, call, in: &table, at: now))
        case .closedEndpoint:
            self.queues.block(id, at: call.endpoint, in: &table)
            return .blocked
        case .heldLane(let lane):
            self.queues.hold(id, along: lane, in: &table)
            return .held
        }
    }

    /// Begins one more call for a record whose last call has just been answered, if its endpoint and its lane
    /// allow it, so that a drain can finish the record. Otherwise the record waits in the ready queue. A
    /// perishable call is then dropped, and the record is planned anew.
    ///
    /// - Returns: The change to tell if the call has begun; nil if the record waits.
    mutating func followUpWanted(
        by id: EntryID,
        _ call: Call<any Sendable>,
        in table: inout RecordTable,
        at now: Int64
    ) -> Change? {
        guard self.gates.mayFollow(to: call.endpoint, on: call.lane, at: now),
            self.hasShare(for: call, of: id, in: &table, at: now)
        else {
            self.queues.makeReady(id, with: call.isPerishable ? nil : FollowUp(call), in: &table)
            return nil
        }
        return self.start(id, call, in: &table, at: now)
    }

    /// Returns whether a follow-up call may begin beside the calls that are out. It takes the slot of the call before it, but
    /// at another endpoint it needs a place in the share of that.
    private func hasShare(
        for call: Call<any Sendable>,
        of id: EntryID,
        in table: inout RecordTable,
        at now: Int64
    ) -> Bool {
        guard call.endpoint != table[id].lastEndpoint else { return true }
        let allowed = self.gates.callsAllowed(to: call.endpoint, at: now)
        guard table.callsInFlight(to: call.endpoint) < allowed else { return false }
        let limit = max(1, min(self.outliersLimit(at: now), allowed / 2))
        return !table[id].failedAlone || table.outlierCalls(to: call.endpoint) < limit
    }

    private mutating func start(
        _ id: EntryID,
        _ call: Call<any Sendable>,
        in table: inout RecordTable,
        at now: Int64
    ) -> Change {
        self.lastCall += 1
        let number = self.lastCall
        let inFlight = table.withEntry(id) { entry in
            entry.lastLane = call.lane
            entry.lastEndpoint = call.endpoint
            entry.attempts += 1
            if entry.attempts == 1 {
                entry.mark = self.gates.endpoints[call.endpoint].evidence.mark
                entry.markedEndpoint = call.endpoint
            }
            return CallInFlight(
                number: number,
                endpoint: call.endpoint,
                lane: call.lane,
                job: call.job,
                began: now,
                attempt: entry.attempts,
                isFirstThere: entry.asked.insert(call.endpoint),
                isOutlier: entry.failedAlone,
                isFaulty: entry.isFaulty,
                mayBeCut: call.canBeCut && entry.failuresAlone == 0 && !entry.isCopy,
                followsCut: entry.wasCut,
                mayShare: call.mayShare
            )
        }
        table.move(id, to: .calling(inFlight))
        let slots = self.gates.slotsTaken(by: &table)
        let isMoved = self.gates.callStarted(inFlight, slotsTaken: slots, at: now)
        return Change(breaker: isMoved ? call.endpoint : nil)
    }

    // MARK: the answer

    /// Notes that the transfer of a call is over. Its record is still `calling`.
    mutating func callCompleted(
        _ call: CallInFlight,
        _ exchange: Exchange,
        in table: inout RecordTable,
        at now: Int64
    ) {
        let slots = self.gates.slotsTaken(by: &table)
        self.gates.callCompleted(call, exchange, slotsTaken: slots, at: now)
    }

    /// Notes that an endpoint has given an answer, whatever it said of the record. If that closes its breaker,
    /// records that failed while it was in doubt come back soon.
    ///
    /// - Parameter laneIsFine: Whether the answer says nothing against the configuration of the call's lane.
    mutating func answered(
        _ call: CallInFlight,
        laneIsFine: Bool,
        in table: inout RecordTable,
        at now: Int64,
        using random: inout SplitMix64
    ) -> Change {
        var change = Change()
        if self.gates.answered(call, at: now) {
            change.breaker = call.endpoint
            if self.gates.endpoints[call.endpoint].breaker.state == .closed {
                self.queues.shortenWaits(for: call.endpoint, in: &table, at: now, using: &random)
            }
        }
        if laneIsFine { change.openLanes = self.gates.laneAnswered(call, at: now) }
        return change
    }

    /// Notes a failure of the upstream.
    ///
    /// - Parameter gatesUpstream: Whether the answer asked everybody to wait.
    /// - Returns: Whether the failure counts against the record all the same, because nearly all other records
    ///   got an answer meanwhile; and the change to tell.
    mutating func failed(
        _ id: EntryID,
        _ call: CallInFlight,
        gatesUpstream: Bool,
        in table: inout RecordTable,
        at now: Int64,
        using random: inout SplitMix64
    ) -> (countsAgainstRecord: Bool, change: Change) {
        let endpoint = call.endpoint
        guard !call.isCut else {
            // This worker has ended the call, so it counts neither against the breaker nor against the record.
            self.gates.cutEnded(call, at: now)
            table.withEntry(id) { entry in
                entry.failed(
                    call,
                    weight: Entry.faulty,
                    self.gates.endpoints[endpoint].breaker,
                    at: now
                )
                entry.wasCut = true
            }
            return (false, Change())
        }
        let judgement = self.judgement(of: id, at: endpoint, in: &table, at: now)
        let isMoved = self.gates.failed(call, at: now, using: &random)
        table.withEntry(id) { entry in
            if judgement != .unknown { entry.mark = self.gates.endpoints[endpoint].evidence.mark }
            entry.failed(call, self.gates.endpoints[endpoint].breaker, at: now)
            entry.wasCut = false
        }
        let isWell = self.gates.endpoints[endpoint].breaker.state == .closed
        return (
            judgement == .record && isWell && !gatesUpstream, Change(breaker: isMoved ? endpoint : nil)
        )
    }

    /// Returns whose fault a failure is, by how first calls of other records ended at this endpoint since the
    /// record's mark. If the mark is from another endpoint, nothing can be said yet, and a new mark is set.
    private func judgement(of id: EntryID, at endpoint: Int, in table: inout RecordTable, at now: Int64)
        -> BlameEvidence.Judgement
    {
        let evidence = self.gates.endpoints[endpoint].evidence
        return table.withEntry(id) { entry in
            guard entry.markedEndpoint == endpoint else {
                entry.mark = evidence.mark
                entry.markedEndpoint = endpoint
                return .unknown
            }
            return evidence.judge(since: entry.mark, at: now)
        }
    }
}
