import Records
import WireFormats

/// The name of one record in hand.
///
/// The generation tells the record from earlier records that had the same place in the table. So a completion
/// or a queue that still has the name of a dropped record can find out that the record is gone.
struct EntryID: Hashable, Sendable {
    let index: Int
    let generation: UInt32

    /// The name as one number, which travels with a request through librdkafka or libcurl.
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

/// One record in hand, from its arrival until the broker has acknowledged everything about it.
struct Entry: Sendable {
    /// The states of a record in hand. `Engine` shows the moves between them.
    enum State: Int, CaseIterable, Sendable {
        /// The record waits behind an earlier one of its key or partition.
        case queued
        /// The record waits for a slot.
        case ready
        /// The endpoint that the record has to call may not be called now.
        case blocked
        /// A call for the record is in flight.
        case calling
        /// The record waits for its next attempt.
        case backingOff
        /// The record's lane is held, or the whole upstream is.
        case held
        /// The record is to become a dead letter and waits until the budget has room for it.
        case condemned
        /// A dead letter, an outcome, a copy or a ticket of the record is on its way to the broker.
        case settling
        /// The producer or the broker has refused a dead letter, an outcome, a copy or a ticket of the record
        /// for now.
        case resending
        /// The dead letter, outcome, copy or ticket waits for a transaction in which it can be sent, or for
        /// that of an earlier record of its key.
        case waiting
        /// The broker has acknowledged everything that comes of the record, in a transaction that is not
        /// committed yet.
        case written
    }

    /// The record as it is in the publisher's topic, even if it was read from a retry topic.
    var record: InboundRecord
    /// The index of its partition in the engine's assignments.
    var assignment: Int
    /// The offset of the record in the partition that it was read from.
    var offset: Int64
    var state: State
    /// The time at which a worker first took the record in, in milliseconds since 1970.
    var receivedAt: Int64
    /// The wall-clock time after which no further attempt begins, in milliseconds since 1970.
    var deadline: Int64
    /// The deadline as a monotonic time, by the wall clock at the time of arrival. It is never later than for
    /// a record that was published then.
    var expiresAt: Int64
    /// The memory that the record takes, in bytes, without answers and the outcome.
    var bytes: Int
    /// The bytes of earlier answers that are kept for the next call.
    var answerBytes = 0
    /// The bytes of the outcome, until the broker has acknowledged it.
    var outcomeBytes = 0
    /// The record behind this one in the order of its key or partition.
    var next: EntryID?
    /// The number of calls made for the record, also before it was forwarded or parked, as far as this worker
    /// knows of them.
    var attempts = 0
    /// The number of failed calls that count against the limit of attempts.
    var countedFailures = 0
    /// Whether the last call failed while the endpoint was in doubt, and the answer did not say how long to
    /// wait.
    var hasFailedInDoubt = false
    /// The number of calls that the upstream may have acted upon although their answer is not known.
    var ambiguousAttempts = 0
    /// The number of times in a row that the producer or the broker has refused a record of this entry.
    var refusals = 0
    /// The number of the current call, or of the last one.
    var call: UInt64 = 0
    /// The endpoint of that call, as an index of the handler's list.
    var endpoint = 0
    /// Whether that call is the first to its endpoint since the record was taken in.
    var isFirstThere = false
    var asked = AskedEndpoints()
    /// The evidence at one endpoint from which on the record's next failure there is judged.
    var mark = BlameEvidence.Mark()
    /// The index of the endpoint that `mark` is about.
    var markedEndpoint = 0
    /// Whether a call for the record has failed for a reason of the upstream, as far as one call can tell.
    var hasFailed = false
    /// Whether the last failure came while calls for other records succeeded at the same endpoint.
    var isOutlier = false
    /// The number of calls that asked for a hold.
    var holds = 0
    /// The number of the last call that asked for a hold; nil if none has.
    var lastHold: UInt64?
    /// The monotonic time at which the current call began, in nanoseconds.
    var calledAt: Int64 = 0
    /// The time at which a call for the record first failed, in milliseconds since 1970; nil if none has.
    var firstFailedAt: Int64?
    var lastReason: Reason?
    /// The HTTP status of the last call's answer; nil if there was no answer.
    var lastStatus: Int?
    /// The handler's value for the call in flight; nil if there is none.
    var job: (any Sendable)?
    /// The lane of the last call; nil before the first.
    var lane: String?
    /// The records that the broker is to have because of this one, in the order in which they are sent.
    var outbound: [OutboundRecord] = []
    /// The number of these records that the broker has acknowledged. The next one is on its way.
    var acknowledged = 0
    /// Whether a record of this entry was sent in the current transaction.
    var isInTransaction = false
    /// Whether the next record of the same key or partition was allowed to go ahead.
    var hasReleasedOrder = false
    /// The end of the record; nil as long as it is open, or if the record only goes on elsewhere.
    var settlement: Settlement?
    /// The rejection that makes the record a dead letter, and its time in wall-clock milliseconds since 1970;
    /// nil if it is to become none.
    var death: (rejection: Rejection, at: Int64)?
    var trace: TraceContext?
    /// Whether the record has to wait in hand, because the broker has refused its copy for a retry topic, or
    /// its ticket.
    var mustStay = false
    var parking = Parking.none

    /// The relation of the record to a ticket in the parking topic.
    enum Parking: Hashable, Sendable {
        /// The record has no ticket.
        case none
        /// The ticket is on its way. When the broker has acknowledged it, the record leaves.
        case begun
        /// The record came back from the parking topic. A tombstone takes its ticket back after its outcome.
        case over
        /// The ticket is that of another record, which had this offset before the topic was deleted and
        /// created again.
        case stale
    }

    /// Returns the circumstances of an attempt, for the handler.
    func circumstances(of number: Int, at now: Int64) -> Attempt {
        Attempt(number: number, failures: self.countedFailures, now: now, ambiguous: self.ambiguousAttempts)
    }

    /// The content of a place that no record has.
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

/// The records in hand, each found by its `EntryID`.
struct RecordTable: Sendable {
    private var entries: [Entry] = []
    /// The generation of each place. It is odd while the place is taken, and grows by one whenever the place
    /// is taken or left.
    private var generations: [UInt32] = []
    private var free: [Int] = []

    /// The bytes of the records, and of the answers and outcomes that are kept for them.
    private(set) var bytes = 0
    /// The part of `bytes` that outcomes take.
    private(set) var outcomeBytes = 0
    var count: Int { self.entries.count - self.free.count }

    /// Adds a record and returns its name.
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

    /// Returns whether the record is still in hand.
    func isCurrent(_ id: EntryID) -> Bool {
        self.generations.indices.contains(id.index) && self.generations[id.index] == id.generation
            && id.generation & 1 == 1
    }

    /// The entry of a record in hand. To use the name of a record that is gone is a mistake of the program,
    /// which ends it.
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

    /// Reads or changes several fields of an entry in place. A copy of an entry would cost about twenty
    /// retains.
    mutating func withEntry<Result>(_ id: EntryID, _ body: (inout Entry) -> Result) -> Result {
        body(&self[id])
    }

    /// Returns the state of a record; nil if it is no longer in hand.
    func state(of id: EntryID) -> Entry.State? { self.isCurrent(id) ? self.entries[id.index].state : nil }

    /// Removes a record that is settled or dropped.
    mutating func remove(_ id: EntryID) {
        self.bytes -= self[id].bytes + self[id].answerBytes + self[id].outcomeBytes
        self.outcomeBytes -= self[id].outcomeBytes
        // The memory of the record is freed now, and not only when the place is taken again.
        self.entries[id.index] = .vacant
        self.generations[id.index] &+= 1
        self.free.append(id.index)
    }

    /// Counts the bytes of an answer that is kept until the record leaves.
    mutating func keepAnswer(to id: EntryID, bytes: Int) {
        self[id].answerBytes += bytes
        self.bytes += bytes
    }

    /// Counts the bytes of an outcome that is kept until the record leaves, in place of an earlier one.
    mutating func keepOutcome(of id: EntryID, bytes: Int) {
        let more = bytes - self[id].outcomeBytes
        self[id].outcomeBytes = bytes
        self.outcomeBytes += more
        self.bytes += more
    }

    /// The names of all records in hand, in the order of their places.
    var ids: [EntryID] {
        self.generations.indices.compactMap { index in
            let generation = self.generations[index]
            return generation & 1 == 1 ? EntryID(index: index, generation: generation) : nil
        }
    }
}
