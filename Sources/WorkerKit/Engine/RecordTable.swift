import Records
import WireFormats

/// Names one record in hand. The generation tells it from an earlier record that had the same place, so that
/// whoever still holds an old name finds out.
struct EntryID: Hashable, Sendable {
    let index: Int
    let generation: UInt32

    /// As it travels through librdkafka and libcurl.
    var packed: UInt64 { UInt64(self.generation) << 32 | UInt64(UInt32(truncatingIfNeeded: self.index)) }

    init(index: Int, generation: UInt32) {
        self.index = index
        self.generation = generation
    }

    init(packed: UInt64) {
        self.index = Int(packed & 0xFFFF_FFFF)
        self.generation = UInt32(packed >> 32)
    }
}

/// One record in hand, from its arrival until the broker has acknowledged its outcome.
struct Entry: Sendable {
    enum State: Int, CaseIterable, Sendable {
        /// Behind an earlier record of its key or partition.
        case queued
        /// Waits for a slot.
        case ready
        /// Whom it has to call may not be called now.
        case blocked
        case calling
        /// Waits for its next attempt.
        case backingOff
        /// Its lane is held.
        case held
        /// It is to be a dead letter, and waits until the budget has room for one more.
        case condemned
        /// Its dead letter or its outcome is on its way to the broker.
        case settling
        /// The same, and the broker has refused it for now.
        case resending
        /// The same, and there is no transaction that it could be sent in.
        case waiting
        /// The broker has all of it, in a transaction that is not committed.
        case written
    }

    /// As its publisher's topic has it, wherever it was read.
    var record: InboundRecord
    var assignment: Int
    /// Its offset in the partition that it was read from.
    var offset: Int64
    var state: State
    var receivedAt: Int64
    /// Wall-clock milliseconds after which no further attempt begins.
    var deadline: Int64
    /// The same as a monotonic time, as the wall clock was when the record came.
    var expiresAt: Int64
    var bytes: Int
    /// What is kept of answers beside that, and what its outcome takes.
    var answerBytes = 0
    var outcomeBytes = 0
    /// The record that comes after this one in the order of its key.
    var next: EntryID?
    var attempts = 0
    var countedFailures = 0
    /// Whether its last call failed while the endpoint was in doubt, without a word on how long to wait.
    var hasFailedInDoubt = false
    /// Calls that the upstream may have acted upon and that nobody knows the answer of.
    var ambiguousAttempts = 0
    /// Failed produces in a row.
    var refusals = 0
    /// The number of the current call.
    var call: UInt64 = 0
    /// Where that goes, and whether it is the record's first there.
    var endpoint = 0
    var isFirstThere = false
    var asked = AskedEndpoints()
    /// How others fare there from here on tells whose fault the next failure is.
    var mark = BlameEvidence.Mark()
    var markedEndpoint = 0
    /// Whether a call of it has failed for a reason that is the upstream's, as far as that one call can tell.
    var hasFailed = false
    /// Whether it failed last while calls for other records succeeded there.
    var isOutlier = false
    /// How often its calls asked for a hold, and the last that did.
    var holds = 0
    var lastHold: UInt64?
    /// Monotonic nanoseconds at the start of the current call.
    var calledAt: Int64 = 0
    var firstFailedAt: Int64?
    var lastReason: Reason?
    var lastStatus: Int?
    var job: (any Sendable)?
    var lane: String?
    /// What the broker is to have, one after the other.
    var outbound: [OutboundRecord] = []
    /// How much of that it has acknowledged; the one after these is on its way.
    var acknowledged = 0
    /// Whether something of it was sent in the current transaction.
    var isInTransaction = false
    /// Whether the next record of its key has been let go.
    var hasReleasedOrder = false
    /// How it ends; nil as long as that is open, or if it only goes on elsewhere.
    var settlement: Settlement?
    /// Why it ends in a dead letter, and since when (wall-clock milliseconds), if it does.
    var death: (rejection: Rejection, at: Int64)?
    var trace: TraceContext?
    /// No retry topic takes it.
    var mustStay = false
    var parking = Parking.none

    /// Whether there is a ticket for it in the parking topic.
    enum Parking: Hashable, Sendable {
        case none
        /// The ticket is on its way, and then the record leaves.
        case begun
        /// The record has come back. Its ticket is taken back with its outcome.
        case over
        /// The ticket is of another record, which had this offset before the topic was made anew.
        case stale
    }

    /// What its handler is told.
    func circumstances(of number: Int, at now: Int64) -> Attempt {
        Attempt(number: number, failures: self.countedFailures, now: now, ambiguous: self.ambiguousAttempts)
    }

    /// What stands in a place that no record has.
    static let vacant = Entry(
        record: InboundRecord(topic: "", partition: 0, offset: 0),
        assignment: 0,
        offset: 0,
        state: .queued,
        receivedAt: 0,
        deadline: 0,
        expiresAt: 0,
        bytes: 0
    )
}

/// The records in hand, by their ids.
struct RecordTable: Sendable {
    private var entries: [Entry] = []
    /// Odd while the place is taken; grows by one whenever it is taken or left.
    private var generations: [UInt32] = []
    private var free: [Int] = []

    /// What the records take, and what is kept of answers and outcomes.
    private(set) var bytes = 0
    /// What outcomes take of that.
    private(set) var outcomeBytes = 0
    var count: Int { self.entries.count - self.free.count }

    mutating func add(_ entry: consuming Entry) -> EntryID {
        self.bytes += entry.bytes
        if let index = self.free.popLast() {
            self.entries[index] = entry
            self.generations[index] &+= 1
            return EntryID(index: index, generation: self.generations[index])
        }
        self.entries.append(entry)
        self.generations.append(1)
        return EntryID(index: self.entries.count - 1, generation: 1)
    }

    func isCurrent(_ id: EntryID) -> Bool {
        self.generations.indices.contains(id.index) && self.generations[id.index] == id.generation
            && id.generation & 1 == 1
    }

    /// Whoever asks has checked that the id is current.
    subscript(_ id: EntryID) -> Entry {
        _read {
            precondition(self.generations[id.index] == id.generation, "the record is not in hand")
            yield self.entries[id.index]
        }
        _modify {
            precondition(self.generations[id.index] == id.generation, "the record is not in hand")
            yield &self.entries[id.index]
        }
    }

    /// Reads or changes several fields at once, in place: a copy of an entry is a score of retains.
    mutating func withEntry<Result>(_ id: EntryID, _ body: (inout Entry) -> Result) -> Result {
        body(&self[id])
    }

    /// Where a record stands; nil if it is no longer in hand.
    func state(of id: EntryID) -> Entry.State? { self.isCurrent(id) ? self.entries[id.index].state : nil }

    mutating func remove(_ id: EntryID) {
        self.bytes -= self[id].bytes + self[id].answerBytes + self[id].outcomeBytes
        self.outcomeBytes -= self[id].outcomeBytes
        // Its bytes go now, not when the place is taken again.
        self.entries[id.index] = .vacant
        self.generations[id.index] &+= 1
        self.free.append(id.index)
    }

    /// One more answer is kept until the record leaves.
    mutating func keepAnswer(to id: EntryID, bytes: Int) {
        self[id].answerBytes += bytes
        self.bytes += bytes
    }

    /// The outcome of a record is kept until it leaves.
    mutating func keepOutcome(of id: EntryID, bytes: Int) {
        let more = bytes - self[id].outcomeBytes
        self[id].outcomeBytes = bytes
        self.outcomeBytes += more
        self.bytes += more
    }

    /// The ids of all records in hand.
    var ids: [EntryID] {
        self.generations.indices.compactMap { index in
            let generation = self.generations[index]
            return generation & 1 == 1 ? EntryID(index: index, generation: generation) : nil
        }
    }
}
