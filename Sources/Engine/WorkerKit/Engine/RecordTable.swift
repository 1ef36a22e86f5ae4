import Records
import WireFormats

/// One record in hand, from its arrival until the broker has acknowledged everything about it.
struct Entry: Sendable {
    /// The record as it is in the publisher's topic, even if it was read from a retry topic.
    let record: InboundRecord
    /// The index of its partition in the engine's assignments.
    let assignment: Int
    /// The offset of the record in the partition that it was read from.
    let offset: Int64
    /// The wall-clock time after which no further attempt begins, in milliseconds since 1970.
    let deadline: Int64
    /// The deadline as a monotonic time, by the wall clock at the time of arrival. It is never later than for
    /// a record that was published then.
    var expiresAt: Int64
    /// The memory that the record takes, in bytes, without answers and the outcome.
    let bytes: Int
    let trace: TraceContext?
    /// The spans of the record; nil if it is not sampled.
    var spans: RecordSpans?
    /// The state of the record. Only `RecordTable.move` changes it.
    fileprivate(set) var state = RecordState.arrived
    /// The bytes of earlier answers that are kept for the next call.
    fileprivate(set) var answerBytes = 0
    /// The time at which a worker first took the record in, in milliseconds since 1970.
    var receivedAt: Int64

    var parking = Parking.none
    /// Whether the record was probably at fault itself when it was parked and came back.
    var cameBackFaulty = false
    /// Whether the record has to wait in hand, because the broker has refused its copy for a retry topic, or
    /// its ticket.
    var mustStay = false

    /// The number of calls made for the record, also before it was forwarded or parked, as far as this worker
    /// knows of them.
    var attempts = 0
    /// The number of failed calls that count against the limit of attempts.
    var countedFailures = 0
    /// The number of calls that the upstream may have acted upon although their answer is not known.
    var ambiguousAttempts = 0
    /// The endpoint of the last call, as an index of the handler's list.
    var lastEndpoint = 0
    /// The lane of the last call; nil before the first.
    var lastLane: String?
    /// The HTTP status of the last call's answer; nil if there was no answer.
    var lastStatus: Int?
    var lastReason: Reason?
    /// The time at which a call for the record first failed, in milliseconds since 1970; nil if none has.
    var firstFailedAt: Int64?
    /// The endpoints that were called for the record since it was taken in.
    var asked = AskedEndpoints()
    /// The evidence at one endpoint from which on the record's next failure there is judged.
    var mark = BlameEvidence.Mark()
    /// The index of the endpoint that `mark` is about.
    var markedEndpoint = 0
    /// Whether a call for the record has failed for a reason of the upstream, as far as one call can tell.
    var hasFailed = false
    /// Whether the last failure came while calls for other records succeeded at the same endpoint, be it before
    /// the record was parked, or the record is probably at fault itself.
    var failedAlone = false
    /// The number of such failures, each after another answer. A record that shares its requests does so with fewer others after each.
    var failuresAlone = 0
    /// The number of such failures after which the record is probably at fault itself. A sound record can fail so once or
    /// twice at the beginning of an outage, or beside others in one request. A call that was cut short counts as so many,
    /// because it has taken a slot for long.
    static let faulty = 3
    /// Whether the record has failed so often.
    var isFaulty: Bool { self.failuresAlone >= Self.faulty }
    /// The last call that its endpoint had answered when the record last failed so.
    private var answerSeen: UInt64 = 0
    /// Whether this worker has cut the last call short.
    var wasCut = false
    /// Whether the record was read from a retry topic. Calls for it may have been cut short before.
    var isCopy = false
    /// Whether the record has failed so since it was taken in. A parked record gets a new chance when it comes
    /// back: at the beginning of an outage, failures of sound records look the same.
    var isOutlier: Bool { self.failedAlone && !self.asked.isEmpty }
    /// Whether the record was accepted to wait for the time that its publisher has set.
    var wasPutOff = false
    /// The number of calls that asked for a hold.
    var holds = 0
    /// The number of the last call that asked for a hold; nil if none has.
    var lastHold: UInt64?

    /// The relation of the record to a ticket in the parking topic.
    enum Parking: Hashable, Sendable {
        /// The record has no ticket, or its first one is on its way.
        case none
        /// The record came back from the parking topic. A tombstone takes its ticket back after its outcome.
        case over
        /// The ticket is that of another record, which had this offset before the topic was deleted and
        /// created again.
        case stale
    }

    init(
        record: InboundRecord,
        assignment: Int,
        offset: Int64,
        deadline: Int64,
        expiresAt: Int64,
        receivedAt: Int64
    ) {
        self.record = record
        self.assignment = assignment
        self.offset = offset
        self.deadline = deadline
        self.expiresAt = expiresAt
        self.receivedAt = receivedAt
        self.bytes = record.approximateBytes
        self.trace = record.headers.isEmpty ? nil : TraceContext(record.headers)
    }

    /// Whether the broker is to have a copy or a ticket of the record and has refused it.
    var isRefusedElsewhere: Bool { self.mustStay && self.state.publication?.settlement == nil }

    /// Notes that a call has failed for a reason of the upstream, as far as one call can tell.
    ///
    /// - Parameters:
    ///   - breaker: The breaker of the endpoint, which knows whether calls for other records succeeded meanwhile.
    ///   - weight: The number of failures for which it counts if they did.
    mutating func failed(_ call: CallInFlight, weight: Int = 1, _ breaker: CircuitBreaker, at now: Int64) {
        self.hasFailed = true
        let isAlone = breaker.answersOthers(than: call.number, at: now)
        // At the beginning of an outage all failures of a sound record come after the same answer, and count once.
        if isAlone, breaker.lastAnsweredCall > self.answerSeen {
            self.failuresAlone += weight
            self.answerSeen = breaker.lastAnsweredCall
        }
        // An outage does not clear a record that is probably at fault.
        self.failedAlone = isAlone || self.isFaulty
    }

    /// Returns the circumstances of an attempt, for the handler.
    func circumstances(of number: Int, at now: Int64, proven: Int64) -> Attempt {
        Attempt(
            number: number,
            failures: self.countedFailures,
            now: now,
            proven: proven,
            ambiguous: self.ambiguousAttempts,
            holds: self.holds,
            lastLane: self.lastLane
        )
    }

    /// The content of a place that no record has.
    fileprivate static let vacant = Entry(
        record: InboundRecord(topic: "", partition: 0, offset: 0),
        assignment: 0,
        offset: 0,
        deadline: 0,
        expiresAt: 0,
        receivedAt: 0
    )
}

/// The records in hand, each found by its `EntryID`, and the numbers of records and calls that follow from
/// their states.
struct RecordTable: Sendable {
    private var entries: [Entry] = []
    /// The numbers that follow from the state of each entry. To look at a whole state would copy what it
    /// carries.
    private var tallies: [Tally] = []
    /// The generation of each place. It is odd while the place is taken, and grows by one whenever the place
    /// is taken or left.
    private var generations: [UInt32] = []
    private var free: [Int] = []
    /// The number of records in each state, by `RecordState.Kind`.
    private var counts = [Int](repeating: 0, count: RecordState.Kind.allCases.count)
    /// The number of calls in flight to each endpoint for records in hand.
    private var calls: [Int]

    /// The bytes of the records, and of the answers and outcomes that are kept for them.
    private(set) var bytes = 0
    /// The part of `bytes` that outcomes take.
    private(set) var outcomeBytes = 0
    /// The number of those calls to each endpoint whose records fail where others succeed.
    private var outlierCalls: [Int]
    /// The calls in flight whose records are gone. Their completions will be stale.
    private var orphans: [EntryID: OrphanedCall] = [:]

    /// - Parameter endpoints: The number of endpoints that can be called.
    init(endpoints: Int) {
        self.calls = [Int](repeating: 0, count: endpoints)
        self.outlierCalls = self.calls
    }

    // MARK: numbers

    /// The number of records in hand.
    var count: Int { self.entries.count - self.free.count }

    /// The number of all calls in flight.
    var callsInFlight: Int { self.count(of: .calling) + self.orphanedCalls }

    /// The number of records of which the broker is to have something that it has not acknowledged.
    var settlingCount: Int {
        self.count(of: .settling) + self.count(of: .resending) + self.count(of: .waiting)
    }

    func count(of kind: RecordState.Kind) -> Int { self.counts[Int(kind.rawValue)] }

    /// The number of calls in flight whose records are gone.
    var orphanedCalls: Int { self.orphans.count }

    /// Returns the number of calls in flight to an endpoint for records in hand.
    func calls(to endpoint: Int) -> Int { self.calls[endpoint] }

    /// Returns the number of all calls in flight to an endpoint. Orphaned calls take its slots until they come back.
    func callsInFlight(to endpoint: Int) -> Int {
        let orphans = self.orphans.isEmpty ? 0 : self.orphans.values.count { $0.endpoint == endpoint }
        return self.calls[endpoint] + orphans
    }

    /// Returns the number of those calls whose records fail where others succeed, orphaned ones included.
    func outlierCalls(to endpoint: Int) -> Int {
        let orphans =
            self.orphans.isEmpty ? 0 : self.orphans.values.count { $0.endpoint == endpoint && $0.isOutlier }
        return self.outlierCalls[endpoint] + orphans
    }

    /// The orphaned calls to an endpoint that began before a monotonic time and may still be cut short, the oldest first.
    func orphans(to endpoint: Int, before time: Int64) -> [EntryID] {
        self.orphans.filter {
            $0.value.endpoint == endpoint && $0.value.began <= time && $0.value.mayBeCut && !$0.value.isCut
        }
        .sorted { ($0.value.began, $0.key.index) < ($1.value.began, $1.key.index) }
        .map(\.key)
    }

    /// Returns the number of the other endpoints to which there are such calls.
    func endpointsOfOutliers(beside endpoint: Int) -> Int {
        self.outlierCalls.indices.count { $0 != endpoint && self.outlierCalls[$0] > 0 }
    }

    // MARK: records

    /// Adds a record and returns its name.
    mutating func add(_ entry: consuming Entry) -> EntryID {
        self.bytes += entry.bytes
        let tally = Tally(entry.state)
        self.count(tally, by: 1)
        if let index = self.free.popLast() {
            self.entries[index] = entry
            self.tallies[index] = tally
            self.generations[index] &+= 1
            return EntryID(index: index, generation: self.generations[index])
        }
        self.entries.append(entry)
        self.tallies.append(tally)
        self.generations.append(1)
        return EntryID(index: self.entries.count - 1, generation: 1)
    }

    /// Moves a record to another state. A move that `RecordState.Kind.next` does not list is a mistake of the
    /// program, which ends it.
    mutating func move(_ id: EntryID, to state: RecordState) {
        self.expectCurrent(id)
        let (old, new) = (self.tallies[id.index], Tally(state))
        precondition(old.kind.next.contains(new.kind), "no move from \(old.kind) to \(new.kind)")
        self.count(old, by: -1)
        self.count(new, by: 1)
        self.tallies[id.index] = new
        self.entries[id.index].state = state
    }

    /// Removes a record that is settled or dropped. If a call for it is in flight, the call is orphaned.
    mutating func remove(_ id: EntryID) {
        self.expectCurrent(id)
        let tally = self.tallies[id.index]
        self.count(tally, by: -1)
        if case .calling(let call) = self.entries[id.index].state {
            self.orphans[id] = OrphanedCall(call)
        }
        self.bytes -= self[id].bytes + self[id].answerBytes
        // The memory of the record is freed now, and not only when the place is taken again.
        self.entries[id.index] = .vacant
        self.generations[id.index] &+= 1
        self.free.append(id.index)
    }

    /// The numbers that follow from one state.
    private struct Tally {
        let kind: RecordState.Kind
        var endpoint: Int?
        var isOutlier = false
        var outcomeBytes = 0
        var hasFollowUp = false

        init(_ state: RecordState) {
            self.kind = state.kind
            switch state {
            case .calling(let call):
                self.endpoint = call.endpoint
                self.isOutlier = call.isOutlier
            case .settling(let all), .resending(let all), .waiting(let all), .written(let all):
                self.outcomeBytes = all.outcomeBytes
            case .ready(let next), .blocked(let next), .backingOff(let next, _), .held(let next):
                self.hasFollowUp = next != nil
            case .arrived, .queued, .condemned: break
            }
        }
    }

    private mutating func count(_ tally: Tally, by change: Int) {
        self.counts[Int(tally.kind.rawValue)] += change
        if let endpoint = tally.endpoint {
            self.calls[endpoint] += change
            if tally.isOutlier { self.outlierCalls[endpoint] += change }
        }
        self.outcomeBytes += change * tally.outcomeBytes
        self.bytes += change * tally.outcomeBytes
    }

    /// Returns whether the record is still in hand.
    func isCurrent(_ id: EntryID) -> Bool {
        self.generations.indices.contains(id.index) && self.generations[id.index] == id.generation
            && id.generation & 1 == 1
    }

    private func expectCurrent(_ id: EntryID) {
        precondition(self.generations[id.index] == id.generation, "the record is not in hand")
    }

    /// The entry of a record in hand. To use the name of a record that is gone is a mistake of the program,
    /// which ends it.
    subscript(_ id: EntryID) -> Entry {
        _read {
            self.expectCurrent(id)
            yield self.entries[id.index]
        }
        _modify {
            self.expectCurrent(id)
            yield &self.entries[id.index]
        }
    }

    /// Reads or changes several fields of an entry in place. A copy of an entry would cost about twenty
    /// retains.
    mutating func withEntry<Result>(_ id: EntryID, _ body: (inout Entry) -> Result) -> Result {
        body(&self[id])
    }

    /// Returns the kind of a record's state; nil if it is no longer in hand.
    func kind(of id: EntryID) -> RecordState.Kind? {
        self.isCurrent(id) ? self.tallies[id.index].kind : nil
    }

    /// Returns whether a record waits for the time before which its publisher wants no work on it.
    func isDelayed(_ id: EntryID) -> Bool {
        guard self.kind(of: id) == .backingOff, case .backingOff(_, .delay) = self[id].state else {
            return false
        }
        return true
    }

    /// Returns the call with which a waiting record goes on instead of being planned anew; nil if there is
    /// none.
    func followUp(of id: EntryID) -> FollowUp? {
        guard self.isCurrent(id), self.tallies[id.index].hasFollowUp else { return nil }
        return self.entries[id.index].state.followUp
    }

    /// Returns the call that is in flight for a record; nil if there is none, or the record is gone.
    func call(of id: EntryID) -> CallInFlight? {
        guard self.isCurrent(id), case .calling(let call) = self.entries[id.index].state else { return nil }
        return call
    }

    /// Marks the call that is in flight for a record as cut short. Nothing happens if there is none.
    mutating func cutCall(of id: EntryID) {
        self.orphans[id]?.isCut = true
        guard var call = self.call(of: id) else { return }
        call.isCut = true
        self.entries[id.index].state = .calling(call)
    }

    /// Changes what the broker is to have of a record. Nothing happens if the record has not come so far.
    mutating func withPublication<Result>(of id: EntryID, _ body: (inout Publication) -> Result) -> Result? {
        guard var publication = self[id].state.publication else { return nil }
        let result = body(&publication)
        switch self[id].state {
        case .settling: self[id].state = .settling(publication)
        case .resending: self[id].state = .resending(publication)
        case .waiting: self[id].state = .waiting(publication)
        case .written: self[id].state = .written(publication)
        case .arrived, .queued, .ready, .blocked, .calling, .backingOff, .held, .condemned: break
        }
        return result
    }

    /// Counts the bytes of an answer that is kept until the record leaves.
    mutating func keepAnswer(to id: EntryID, bytes: Int) {
        self[id].answerBytes += bytes
        self.bytes += bytes
    }

    /// Takes out an orphaned call whose completion has come; nil if there is none.
    mutating func orphanEnded(_ id: EntryID) -> OrphanedCall? { self.orphans.removeValue(forKey: id) }

    /// Returns the number of records in hand with this relation to a ticket, without a copy of any.
    func count(of parking: Entry.Parking) -> Int {
        self.generations.indices.count {
            self.generations[$0] & 1 == 1 && self.entries[$0].parking == parking
        }
    }

    /// The names of all records in hand, in the order of their places.
    var ids: [EntryID] {
        self.generations.indices.compactMap { index in
            let generation = self.generations[index]
            return generation & 1 == 1 ? EntryID(index: index, generation: generation) : nil
        }
    }
}
