import ServiceKit
import UpstreamHTTP
import WireFormats

/// Whether a call may be made now: by the pace of the worker, by the endpoint that is called, by the lane along
/// which the call goes, and by the whole upstream. This is the one place that asks all four.
///
/// Each of them learns from the calls. A call is told of when it starts (`callStarted`), when its transfer is
/// over (`callCompleted`), by its meaning (`answered`, `failed`, `gated`, `laneHeld` ...), and at last when
/// nothing more will be told of it (`callEnded`).
///
/// All times are monotonic nanoseconds.
struct CallGates: Sendable {
    /// The endpoints of the upstream, in the order of the handler's list.
    private(set) var endpoints: [EndpointState]
    private(set) var lanes: Lanes
    private(set) var pace: CallPace
    /// Whether calls to some endpoint share slots.
    private let sharesSlots: Bool

    /// Makes gates that are all open. Without an endpoint there is nothing to call, which is a mistake of the
    /// program and ends it.
    init(_ endpoints: [UpstreamEndpoint], _ settings: EngineSettings) {
        precondition(!endpoints.isEmpty, "a handler without an endpoint calls nobody")
        self.endpoints = endpoints.map { EndpointState($0, settings.breaker) }
        self.lanes = Lanes(settings.lanes)
        self.pace = CallPace(settings, endpoints: endpoints.count)
        self.sharesSlots = endpoints.contains { $0.callsPerSlot > 1 }
    }

    // MARK: questions

    /// The answer to the question whether a call may be made now.
    enum Answer: Equatable {
        case open
        /// The endpoint may not be called now, or has no slot left of its share.
        case closedEndpoint
        /// The lane of this name is held; `Lanes.upstream` stands for all lanes.
        case heldLane(String)
    }

    /// Decides about a call for which there is a slot.
    ///
    /// - Parameter callsOut: The number of calls in flight to the endpoint.
    mutating func mayCall(_ endpoint: Int, on lane: String, callsOut: Int, at now: Int64) -> Answer {
        guard self.admits(endpoint, callsOut: callsOut, at: now) else { return .closedEndpoint }
        guard self.lanes.admits(Lanes.upstream, at: now) else { return .heldLane(Lanes.upstream) }
        guard self.lanes.admits(lane, at: now) else {
            self.lanes.probeDeclined(Lanes.upstream, at: now)
            return .heldLane(lane)
        }
        return .open
    }

    /// Returns whether a call may follow at once on the answer to another one. Such a call is never a probe.
    func mayFollow(to endpoint: Int, on lane: String, at now: Int64) -> Bool {
        self.endpoints[endpoint].breaker.state == .closed && !self.endpoints[endpoint].isPaused
            && self.endpoints[endpoint].isWithinRate(at: now)
            && self.lanes.isOpen(Lanes.upstream) && self.lanes.isOpen(lane)
    }

    /// Returns whether an endpoint may be called now, and has a slot left of its share.
    ///
    /// - Parameter callsOut: The number of calls in flight to the endpoint.
    func admits(_ endpoint: Int, callsOut: Int, at now: Int64) -> Bool {
        self.endpoints[endpoint].admits(at: now) && callsOut < self.callsAllowed(to: endpoint, at: now)
    }

    /// Returns the number of calls that may be in flight to an endpoint.
    func callsAllowed(to endpoint: Int, at now: Int64) -> Int {
        let identity = self.endpoints[endpoint].identity
        let bySlots = self.slots(of: endpoint, at: now) * identity.callsPerSlot
        return min(bySlots, identity.callsLimit ?? bySlots)
    }

    /// Returns the number of slots that one endpoint may take.
    ///
    /// An endpoint may use all slots while it gives them back soon (`CallTimes`). If each of its calls may hang
    /// until its timeout, it gets an equal share of the slots while others are in use: one for each such endpoint, and one
    /// for all that are quick. Otherwise it gets all but a quarter, or half where several others can begin.
    private func slots(of endpoint: Int, at now: Int64) -> Int {
        let limit = self.pace.callLimit(at: now)
        guard self.endpoints.count > 1, !self.endpoints[endpoint].isQuick(at: now) else { return limit }
        var (slow, isShared) = (1, false)
        for other in self.endpoints.indices
        where other != endpoint && self.endpoints[other].wasCalledLately(at: now) {
            isShared = true
            if !self.endpoints[other].isQuick(at: now) { slow += 1 }
        }
        if isShared { return max(1, limit / min(slow + 1, self.endpoints.count)) }
        let rest = self.endpoints.count > 2 ? limit / 2 : limit / 4
        return max(1, limit - max(1, rest))
    }

    /// Returns a time at which an endpoint may get more slots although no call comes back: it proves to be quick, or the
    /// other endpoints have not been called for a while. Nil if there is none.
    func moreSlots(for endpoint: Int, at now: Int64) -> Int64? {
        guard self.endpoints.count > 1, !self.endpoints[endpoint].isQuick(at: now) else { return nil }
        let others = self.endpoints.indices.lazy.filter { $0 != endpoint }
        let alone = others.compactMap { self.endpoints[$0].isForgottenFrom }.max()
        return [self.endpoints[endpoint].isQuickFrom, alone].lazy.compactMap { $0 }.filter { $0 > now }.min()
    }

    /// Returns the slots that calls in flight take. Calls that may share a request share a slot.
    ///
    /// - Parameter table: The records whose calls are in flight. It is not changed.
    func slotsTaken(by table: inout RecordTable) -> Int {
        guard self.sharesSlots else { return table.callsInFlight }
        var taken = 0
        for endpoint in self.endpoints.indices { taken += self.slotsTaken(by: &table, at: endpoint) }
        return taken
    }

    private func slotsTaken(by table: inout RecordTable, at endpoint: Int) -> Int {
        let share = self.endpoints[endpoint].identity.callsPerSlot
        return (table.callsInFlight(to: endpoint) + share - 1) / share
    }

    /// Returns whether a slot is free.
    ///
    /// - Parameter table: The records whose calls are in flight. It is not changed.
    func haveSlot(beside table: inout RecordTable, at now: Int64) -> Bool {
        self.slotsTaken(by: &table) < self.pace.concurrency
            && self.slotsCounted(of: &table, at: now) < self.pace.callLimit(at: now)
    }

    /// Returns the slots that calls in flight take of the current limit. A slow endpoint counts with its share at most:
    /// the adaptive limit can fall while its calls hang, and the slots of the others stay theirs.
    func slotsCounted(of table: inout RecordTable, at now: Int64) -> Int {
        guard self.endpoints.count > 1 else { return self.slotsTaken(by: &table) }
        var taken = 0
        for endpoint in self.endpoints.indices {
            taken += min(self.slotsTaken(by: &table, at: endpoint), self.slots(of: endpoint, at: now))
        }
        return taken
    }

    /// Whether the fleet shares a rate. Then each worker needs the number of all partitions, which can grow.
    var shareRates: Bool {
        self.pace.isRateShared || self.endpoints.contains { $0.identity.rate != nil }
    }

    /// Notes this worker's part of the partitions of the whole fleet, from 0 to 1. Its part of the rates is as
    /// large.
    mutating func shareChanged(to share: Double, at now: Int64) {
        self.pace.shareChanged(to: share, at: now)
        for index in self.endpoints.indices { self.endpoints[index].shareChanged(to: share, at: now) }
    }

    // MARK: an operator's choices

    /// Obeys an operator from now on.
    ///
    /// - Parameter isPaused: Whether this endpoint is paused.
    mutating func obey(_ choices: OperatorChoices, at now: Int64, isPaused: (UpstreamEndpoint) -> Bool) {
        for index in self.endpoints.indices {
            self.endpoints[index].isPaused = isPaused(self.endpoints[index].identity)
        }
        self.lanes.paused = choices.lanes
        self.pace.chosenConcurrency = choices.concurrency
        self.pace.choose(rate: choices.rate, at: now)
    }

    /// Ends the pauses of held lanes and of open breakers, so that their next calls are probes.
    mutating func probeNow(at now: Int64) {
        self.lanes.probeNow(at: now)
        for index in self.endpoints.indices { self.endpoints[index].probeNow(at: now) }
    }

    // MARK: the course of a call

    /// Notes a call that begins.
    ///
    /// - Parameter slotsTaken: The slots that calls in flight take, this call included.
    /// - Returns: Whether the breaker of the endpoint has another state now.
    mutating func callStarted(_ call: CallInFlight, slotsTaken: Int, at now: Int64) -> Bool {
        let was = self.endpoints[call.endpoint].breaker.state
        self.endpoints[call.endpoint].callStarted(call.number, at: now)
        self.lanes.callStarted(call.number, on: Lanes.upstream)
        self.lanes.callStarted(call.number, on: call.lane)
        self.pace.callStarted(slotsTaken: slotsTaken, at: now)
        return self.endpoints[call.endpoint].breaker.state != was
    }

    /// Notes that the transfer of a call is over, before the handler has said what it means.
    mutating func callCompleted(_ call: CallInFlight, _ exchange: Exchange, slotsTaken: Int, at now: Int64) {
        self.endpoints[call.endpoint].callCompleted(call, exchange, at: now)
        self.pace.callCompleted(
            exchange,
            of: call,
            nanoseconds: now - call.began,
            slotsTaken: slotsTaken,
            at: now
        )
    }

    /// Notes that calls to an endpoint were cut short.
    mutating func callsCut(to endpoint: Int, at now: Int64) { self.endpoints[endpoint].callsCut(at: now) }

    /// Notes the end of a call that was cut short.
    mutating func cutEnded(_ call: CallInFlight, at now: Int64) {
        self.endpoints[call.endpoint].cutEnded(call, at: now)
    }

    /// Notes that an endpoint has given an answer, whatever it said of the record.
    ///
    /// - Returns: Whether the breaker of the endpoint has another state now.
    mutating func answered(_ call: CallInFlight, at now: Int64) -> Bool {
        let was = self.endpoints[call.endpoint].breaker.state
        self.endpoints[call.endpoint].answered(call, at: now)
        return self.endpoints[call.endpoint].breaker.state != was
    }

    /// Notes an answer that says nothing against the configuration of the call's lane.
    ///
    /// - Returns: The lanes that are open again by it, `Lanes.upstream` for the whole upstream.
    mutating func laneAnswered(_ call: CallInFlight, at now: Int64) -> [String] {
        self.lanes.noteGoodAnswer(call.number, of: call.lane, at: now)
        guard !self.lanes.areAllWell else { return [] }
        var open: [String] = []
        for lane in [Lanes.upstream, call.lane]
        where self.lanes.answered(call.number, on: lane, at: now) { open.append(lane) }
        return open
    }

    /// Notes a failure for which the upstream is to blame, as far as one call can tell.
    ///
    /// - Returns: Whether the breaker of the endpoint has another state now.
    mutating func failed(_ call: CallInFlight, at now: Int64, using random: inout SplitMix64) -> Bool {
        let was = self.endpoints[call.endpoint].breaker.state
        self.endpoints[call.endpoint].failed(call, at: now, using: &random)
        return self.endpoints[call.endpoint].breaker.state != was
    }

    /// Notes that an endpoint asked everybody to wait. It is not called until this time, and then with a
    /// single probe: many calls at once are what it complained of.
    ///
    /// - Returns: The state of its breaker until now.
    mutating func gated(_ endpoint: Int, until: Int64, at now: Int64) -> CircuitBreaker.State {
        self.endpoints[endpoint].gated(until: until, at: now)
    }

    /// Notes that nothing more will be told of a call. If the call was a probe and its answer has said nothing
    /// about the breaker or the lane that it was to probe, another probe can be sent.
    mutating func callEnded(_ call: CallInFlight, at now: Int64) {
        self.endpoints[call.endpoint].callEnded(call)
        self.laneCallEnded(call, at: now)
    }

    /// Notes that the record of a call is gone. The call takes its slot until its transfer is over (`orphanEnded`).
    mutating func callOrphaned(_ call: CallInFlight, at now: Int64) {
        self.endpoints[call.endpoint].callOrphaned(call)
        self.laneCallEnded(call, at: now)
    }

    /// Notes that the transfer of a call is over whose record is gone.
    ///
    /// - Parameter wasTried: Whether the request was sent at all.
    mutating func orphanEnded(_ call: OrphanedCall, wasTried: Bool = true, at now: Int64) {
        self.endpoints[call.endpoint].orphanEnded(call, wasTried: wasTried, at: now)
    }

    private mutating func laneCallEnded(_ call: CallInFlight, at now: Int64) {
        guard !self.lanes.areAllWell else { return }
        self.lanes.callEnded(call.number, on: Lanes.upstream, at: now)
        self.lanes.callEnded(call.number, on: call.lane, at: now)
    }

    // MARK: lanes

    /// Notes that a handler asked for a hold of this lane.
    ///
    /// - Parameter previous: The last call of the same record that asked for a hold.
    mutating func laneHeld(_ lane: String, by call: UInt64, after previous: UInt64?, at now: Int64)
        -> LaneHealth.Hold
    {
        self.lanes.hold(call, after: previous, on: lane, at: now)
    }

    /// Notes an answer that our configuration would explain.
    ///
    /// - Parameters:
    ///   - key: A number that tells the records of one key from others.
    ///   - previous: The last call of the same record that asked for a hold.
    /// - Returns: The effect of the suspicion; nil if there is none.
    mutating func laneSuspected(_ call: CallInFlight, ofKey key: Int, after previous: UInt64?, at now: Int64)
        -> LaneHealth.Hold?
    {
        self.lanes.suspected(call.number, ofKey: key, after: previous, on: call.lane, at: now)
    }

    /// Notes that the upstream asked a lane to wait.
    ///
    /// - Returns: Whether the lane was open before.
    mutating func laneGated(_ call: CallInFlight, until: Int64) -> Bool {
        self.lanes.gate(call.number, until: until, on: call.lane)
    }

    /// Notes that a record of a held lane goes to the ready queue, to be the lane's probe.
    mutating func probeReleased(_ lane: String, at now: Int64) {
        self.lanes.probeReleased(lane, at: now)
    }
}
