import Kafka
import Records
import ServiceKit

/// The producer's transactions, with `delivery: exactly-once`: which records are in the current one, which wait
/// for the next, and what is asked of the producer.
///
/// A transaction is open nearly all the time. Records join it, and once in a commit interval it takes no new
/// ones. When the broker has acknowledged the rest it is committed, and only then are its records finished. If
/// it is aborted instead, its records are sent again in the next one, in the same order and before all others.
///
/// All times are monotonic nanoseconds.
struct TransactionState: Sendable {
    /// The stages of a transaction.
    enum Stage: Hashable, Sendable {
        /// No producer can begin a transaction. One is made, or made anew, at this time.
        case closed(retryAt: Int64)
        /// A new producer is being registered, and its first transaction begins.
        case opening
        /// The last commit was never answered, and may or may not have taken place. The group's committed
        /// offsets are asked for at this time.
        case deciding(retryAt: Int64)
        /// Records may join the transaction.
        case open
        /// No record may join any more. When the rest is acknowledged, the transaction is committed.
        case closing
        case committing
        case aborting
    }

    /// The next thing to do, which the engine does.
    enum Step: Hashable, Sendable {
        /// Ask the broker for a producer with transactions.
        case open
        /// Ask for the group's committed offsets.
        case decide
        /// Commit the transaction if it is complete.
        case commit
        /// Ask the broker to abort the transaction.
        case abort
    }

    private(set) var stage = Stage.closed(retryAt: .min)
    /// The records of which something was sent in the transaction, in that order.
    private(set) var members: [EntryID] = []
    /// The records that are ready to be sent and wait for a transaction, in the order in which they became
    /// ready.
    private var waiting = Fifo<EntryID>()
    /// For each key with records that are sent again: these records in order. Each has to be written before
    /// the next is sent. The first of them is being sent, or waits for a transaction.
    private var lines: [OrderingKey: Fifo<EntryID>] = [:]
    /// The positions of the commit that is under way, or of the last one if it was never answered.
    private(set) var positions: [CommittedPosition] = []
    /// The most records that may be in one transaction. It is half of what did not get through twice, and doubles with
    /// each commit: otherwise more records than the brokers can write before they end a transaction would be sent again
    /// and again.
    private var membersAllowed = unlimited
    private static let unlimited = Int.max / 4
    /// The least limit. A transaction can fail for many reasons, and few records are never the reason.
    private static let leastMembers = 32
    /// Whether the transaction can only be aborted, because something in it failed or belongs to partitions
    /// that are gone.
    private(set) var isBroken = false
    /// The number of transactions in a row that were not committed.
    private var failures = 0
    /// The time before which a transaction is not closed, and a broken one not aborted.
    private var notBefore: Int64 = .min

    /// Whether a commit is under way or was never answered.
    var isInDoubt: Bool { !self.positions.isEmpty }

    /// Whether no record is in the transaction or waits for one.
    var isEmpty: Bool { self.members.isEmpty && self.waiting.isEmpty }

    /// Whether new records may join.
    var isOpen: Bool { self.stage == .open && !self.isBroken }

    /// Whether a record that is not in the transaction may join it now.
    ///
    /// A member that the producer's full queue has refused goes first. If all others joined meanwhile, the transaction
    /// could not be committed before the queue has had room for each of them.
    private func hasRoom(in table: inout RecordTable) -> Bool {
        self.isOpen && self.members.count < self.membersAllowed && table.count(of: .resending) == 0
    }

    /// Whether records are sent again in the order of their keys.
    var hasLines: Bool { !self.lines.isEmpty }

    // MARK: steps

    /// Returns the step that is due now, and counts as begun.
    mutating func nextStep(at now: Int64) -> Step? {
        switch self.stage {
        case .closed(let retryAt) where now >= retryAt:
            self.stage = .opening
            return .open
        case .deciding(let retryAt) where now >= retryAt: return .decide
        case .open where self.isBroken, .closing where self.isBroken:
            guard now >= self.notBefore else { return nil }
            self.stage = .aborting
            return .abort
        case .closing: return .commit
        case .closed, .deciding, .open, .opening, .committing, .aborting: return nil
        }
    }

    /// Returns the time of the next step that no event announces; nil if there is none.
    ///
    /// - Parameter due: The time at which an open transaction is to be closed; nil if there is nothing to
    ///   commit.
    func nextTime(whenDue due: @autoclosure () -> Int64?) -> Int64? {
        switch self.stage {
        case .closed(let retryAt), .deciding(let retryAt): retryAt
        case .open where self.isBroken, .closing where self.isBroken: self.notBefore
        case .open: due().map { max(self.notBefore, $0) }
        case .closing, .opening, .committing, .aborting: nil
        }
    }

    /// Lets no further record join, because the transaction is due.
    mutating func close() { self.stage = .closing }

    /// Begins to commit the transaction. An empty one stays open instead.
    ///
    /// - Returns: Whether there is something to commit.
    mutating func commit(_ positions: [CommittedPosition]) -> Bool {
        guard !positions.isEmpty || !self.members.isEmpty else {
            self.stage = .open
            return false
        }
        self.positions = positions
        self.stage = .committing
        return true
    }

    // MARK: records

    /// Lets a record take part in the current transaction.
    ///
    /// - Returns: False if the record has to wait for room in this transaction or for the next one.
    mutating func join(_ id: EntryID, in table: inout RecordTable) -> Bool {
        // If the transaction is ending, the record is sent again in the next one, together with all other
        // members.
        if table[id].state.publication?.isInTransaction == true { return self.takesMembers }
        guard self.hasRoom(in: &table) else {
            self.waiting.append(id)
            return false
        }
        table.withPublication(of: id) { $0.isInTransaction = true }
        self.members.append(id)
        return true
    }

    /// Whether members may send what they have not sent yet. A record that is sent while a transaction ends
    /// may arrive after its end. It would then be in the next transaction as well as in this one.
    private var takesMembers: Bool {
        switch self.stage {
        case .open, .closing: !self.isBroken
        case .closed, .opening, .deciding, .committing, .aborting: false
        }
    }

    /// Takes out the next record that can be sent in the transaction; nil if there is none, or the transaction
    /// takes none.
    mutating func nextWaiting(in table: inout RecordTable) -> EntryID? {
        while self.hasRoom(in: &table), let id = self.waiting.popFirst() {
            if table.kind(of: id) == .waiting { return id }
        }
        return nil
    }

    /// Returns whether no earlier record of the same key has to be written first. If one has, this record
    /// lines up behind it.
    mutating func isItsTurn(_ id: EntryID, in key: OrderingKey) -> Bool {
        guard let first = self.lines[key]?.first, first != id else { return true }
        self.lines[key]?.append(id)
        return false
    }

    /// Notes that the broker has acknowledged the first record of a line.
    ///
    /// - Returns: The next record of the line, which may be sent now; nil if there is none.
    mutating func written(_ id: EntryID, in key: OrderingKey) -> EntryID? {
        guard self.lines[key]?.first == id else { return nil }
        _ = self.lines[key]?.popFirst()
        guard let next = self.lines[key]?.first else {
            self.lines[key] = nil
            return nil
        }
        return next
    }

    // MARK: answers

    /// Notes that a producer with transactions is there.
    ///
    /// - Returns: Whether it is known that the transaction before did not take place. If not, the group's
    ///   committed offsets are asked for in the next step.
    mutating func opened(at now: Int64) -> Bool {
        guard self.isInDoubt else { return true }
        self.stage = .deciding(retryAt: now)
        return false
    }

    /// Notes that the cluster did not answer the question for the committed offsets.
    mutating func undecided(until retryAt: Int64) { self.stage = .deciding(retryAt: retryAt) }

    /// Notes that the transaction was committed. The next one takes records after `begin`.
    ///
    /// - Returns: The records that are finished by it.
    mutating func committed() -> [EntryID] {
        defer {
            self.members = []
            self.positions = []
        }
        self.failures = 0
        self.notBefore = .min
        self.membersAllowed = min(self.membersAllowed * 2, Self.unlimited)
        return self.members
    }

    /// Notes that the transaction did not take place, and moves its records to the next one, before all
    /// others.
    ///
    /// The records of one key were released one by one as they were written, so there may now be several
    /// records of a key. They line up, and each is sent after the one before it is written.
    ///
    /// - Returns: The records whose copy or ticket the broker has refused. They are to be kept in hand.
    mutating func undone(in table: inout RecordTable, order: EngineSettings.Ordering) -> [EntryID] {
        // One failure after a commit says nothing about the number of records: a broker was restarted, or a worker left.
        if self.failures > 1, !self.members.isEmpty {
            self.membersAllowed = max(Self.leastMembers, self.members.count / 2)
        }
        var refused: [EntryID] = []
        var waiting = Fifo<EntryID>()
        var lines: [OrderingKey: Fifo<EntryID>] = [:]
        func lineUp(_ id: EntryID) {
            guard table.isCurrent(id) else { return }
            guard let key = order.key(of: table[id].record) else { return waiting.append(id) }
            if lines[key] == nil { waiting.append(id) }
            lines[key, default: Fifo()].append(id)
        }
        for id in self.members where table.isCurrent(id) {
            guard !table[id].isRefusedElsewhere else {
                refused.append(id)
                continue
            }
            table.waitForTransaction(id)
            table.withPublication(of: id) { $0.startOver() }
            lineUp(id)
        }
        while let id = self.waiting.popFirst() { lineUp(id) }
        // The first record of each line is left out, because it was a member or was waiting.
        for var line in self.lines.values {
            _ = line.popFirst()
            while let id = line.popFirst() { lineUp(id) }
        }
        self.lines = lines
        self.members = []
        self.waiting = waiting
        self.positions = []
        return refused
    }

    /// Begins the next transaction. The waiting records may be sent.
    mutating func begin() {
        self.stage = .open
        self.isBroken = false
    }

    /// Notes that a record could not be sent. The transaction cannot be committed without it, so it is aborted
    /// after a while.
    ///
    /// - Returns: Whether this is the first failure of the transaction. If each one lengthened the backoff, the
    ///   abort would come only after the cluster has ended the transaction by itself.
    mutating func broken(at now: Int64, using random: inout SplitMix64) -> Bool {
        guard !self.isBroken else { return false }
        self.isBroken = true
        self.delay(at: now, using: &random)
        return true
    }

    /// Notes that a request failed, or that the producer cannot be used any more.
    ///
    /// - Returns: Whether the transaction is to be aborted. Otherwise a new producer with the same
    ///   `transactional.id` ends the transaction, whatever has happened to it.
    mutating func failed(_ error: KafkaError, at now: Int64, using random: inout SplitMix64) -> Bool {
        self.delay(at: now, using: &random)
        guard error.requiresAbort, self.stage == .committing else {
            self.stage = .closed(retryAt: self.notBefore)
            return false
        }
        self.positions = []
        self.stage = .aborting
        return true
    }

    /// Whether no request is under way whose answer would report that the producer cannot be used any more.
    var isIdle: Bool {
        switch self.stage {
        case .open, .closing: true
        case .closed, .opening, .deciding, .committing, .aborting: false
        }
    }

    private mutating func delay(at now: Int64, using random: inout SplitMix64) {
        self.failures += 1
        let delay = Backoff.ofTransactions.delay(afterFailures: self.failures, using: &random)
        self.notBefore = now.addingClamped(delay.wholeNanoseconds)
    }

    /// Forgets all records, because they belong to another owner from now on. A transaction in which some of
    /// them were sent must not be committed.
    mutating func forgetMembers() {
        if !self.members.isEmpty { self.isBroken = true }
        self.members = []
        self.waiting = Fifo()
        self.lines = [:]
        self.positions = []
    }
}

extension RecordTable {
    /// Lets a record that is to be published wait until it can be sent in a transaction.
    mutating func waitForTransaction(_ id: EntryID) {
        guard self.kind(of: id) != .waiting, let publication = self[id].state.publication else { return }
        self.move(id, to: .waiting(publication))
    }
}
