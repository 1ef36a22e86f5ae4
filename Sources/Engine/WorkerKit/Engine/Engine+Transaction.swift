import Kafka
import Logging
import ServiceKit

// Results, dead letters and offsets as one transaction (`delivery: exactly-once`).
//
// A transaction is open nearly all the time. A record joins it when its outcome is sent, and stays in hand
// when the broker has acknowledged the outcome. Once in a commit interval the transaction takes no new
// members. When the rest is acknowledged, it is committed together with the positions that its records lead
// to, and only then are the records finished. If the transaction is aborted instead, the outcomes are sent
// again in the next one, in the same order. No call is repeated for that.
//
// If the answer to a commit is lost, it is not known whether the commit took place. Then the producer is made
// anew, which makes the cluster decide. The group's committed offsets tell the decision, because the
// positions were part of the transaction.
extension Engine {
    /// Takes the next step of the transaction if it is due.
    ///
    /// - Throws: The error of the producer or of the consumer if it is fatal.
    func turnTransaction() throws(KafkaError) {
        switch self.transaction.stage {
        case .closed(let retryAt): if self.now.monotonic >= retryAt { try self.openTransactions() }
        case .deciding(let retryAt): if self.now.monotonic >= retryAt { try self.decideTransaction() }
        case .open:
            if self.transaction.isBroken { return self.abortTransactionIfDue() }
            if self.isTransactionDue { self.transaction.stage = .closing }
            if self.transaction.stage == .closing { self.commitTransactionIfComplete() }
        case .closing:
            if self.transaction.isBroken { return self.abortTransactionIfDue() }
            self.commitTransactionIfComplete()
        case .opening, .committing, .aborting: break
        }
    }

    /// The monotonic time of the next step that no event announces; nil if there is none.
    var nextTransactionStep: Int64? {
        switch self.transaction.stage {
        case .closed(let retryAt), .deciding(let retryAt): return retryAt
        case .open where self.transaction.isBroken, .closing where self.transaction.isBroken:
            return self.transaction.notBefore
        case .open:
            guard self.phase == .working || self.commit.isWantedNow, self.isThereSomethingToCommit else {
                return nil
            }
            return max(
                self.transaction.notBefore,
                self.commit.isWantedNow ? self.commit.lastDue : self.commit.nextDue
            )
        case .closing, .opening, .committing, .aborting: return nil
        }
    }

    private var isThereSomethingToCommit: Bool {
        !self.transaction.members.isEmpty || self.assignments.contains { $0.isDirty }
    }

    private var isTransactionDue: Bool {
        if self.commit.isWantedNow, !self.isThereSomethingToCommit { self.commit.isWantedNow = false }
        guard self.phase == .working || self.commit.isWantedNow else { return false }
        return (self.nextTransactionStep ?? .max) <= self.now.monotonic
    }

    // MARK: records

    /// Lets a record take part in the current transaction.
    ///
    /// - Returns: False if the record has to wait for the next transaction.
    func joinTransaction(_ id: EntryID) -> Bool {
        // If the transaction is ending, the record is sent again in the next one, together with all other
        // members.
        if self.table[id].state.publication?.isInTransaction == true { return self.transactionTakesMembers }
        guard self.transaction.stage == .open, !self.transaction.isBroken else {
            self.transaction.waiting.append(id)
            return false
        }
        self.table.withPublication(of: id) { $0.isInTransaction = true }
        self.transaction.members.append(id)
        return true
    }

    /// Whether members may send what they have not sent yet. A record that is sent while a transaction ends
    /// may arrive after its end. It would then be in the next transaction as well as in this one.
    private var transactionTakesMembers: Bool {
        switch self.transaction.stage {
        case .open, .closing: !self.transaction.isBroken
        case .closed, .opening, .deciding, .committing, .aborting: false
        }
    }

    /// Notes that the broker has acknowledged all records of an entry.
    ///
    /// The next record of its key may go ahead. Its outcome comes later in this transaction or in a later
    /// one, whether this one is committed or aborted.
    func writtenInTransaction(_ id: EntryID) {
        if let publication = self.table[id].state.publication {
            self.table.move(id, to: .written(publication))
        }
        self.releaseOrder(of: id)
        self.advanceLine(behind: id)
    }

    /// Lets a record wait until it can be sent in a transaction.
    func waitForTransaction(_ id: EntryID) {
        guard self.table.kind(of: id) != .waiting, let publication = self.table[id].state.publication else {
            return
        }
        self.table.move(id, to: .waiting(publication))
    }

    /// Returns whether no earlier record of the same key has to be written first. If one has, this record
    /// lines up behind it.
    func isItsTurn(_ id: EntryID) -> Bool {
        guard !self.transaction.lines.isEmpty, let key = self.orderingKey(of: self.table[id].record),
            let first = self.transaction.lines[key]?.first, first != id
        else { return true }
        self.transaction.lines[key]?.append(id)
        return false
    }

    /// Lets the next record of a line go ahead, after the first one was written.
    private func advanceLine(behind id: EntryID) {
        guard !self.transaction.lines.isEmpty, let key = self.orderingKey(of: self.table[id].record),
            self.transaction.lines[key]?.first == id
        else { return }
        _ = self.transaction.lines[key]?.popFirst()
        guard let next = self.transaction.lines[key]?.first else {
            self.transaction.lines[key] = nil
            return
        }
        self.sendOrWait(next)
    }

    /// Notes that a record could not be sent. The transaction cannot be committed without it, so it will be
    /// aborted.
    func transactionBroken(by id: EntryID, _ error: KafkaError) {
        self.waitForTransaction(id)
        // Only the first failure of a transaction is counted. If each one lengthened the backoff, the abort
        // would come only after the cluster has ended the transaction by itself.
        guard !self.transaction.isBroken else { return }
        self.transaction.isBroken = true
        self.countFailedCommit(error)
        self.delayTransaction()
    }

    /// Sends the waiting records in the transaction that has just begun.
    private func sendWaiting() {
        while self.transaction.stage == .open, !self.transaction.isBroken,
            let id = self.transaction.waiting.popFirst()
        {
            if self.table.kind(of: id) == .waiting { self.sendOrWait(id) }
        }
    }

    /// Moves the records of an aborted transaction to the next one, before all others.
    ///
    /// The records of one key were released one by one as they were written, so there may now be several
    /// records of a key. They line up, and each is sent after the one before it is written.
    private func requeueMembers() {
        var waiting = Fifo<EntryID>()
        var lines: [OrderingKey: Fifo<EntryID>] = [:]
        func lineUp(_ id: EntryID) {
            guard self.table.isCurrent(id) else { return }
            guard let key = self.orderingKey(of: self.table[id].record) else { return waiting.append(id) }
            if lines[key] == nil { waiting.append(id) }
            lines[key, default: Fifo()].append(id)
        }
        for id in self.transaction.members where self.table.isCurrent(id) {
            guard !self.table[id].isRefusedElsewhere else {
                self.keepInHand(id)
                continue
            }
            self.waitForTransaction(id)
            self.table.withPublication(of: id) { $0.startOver() }
            lineUp(id)
        }
        while let id = self.transaction.waiting.popFirst() { lineUp(id) }
        // The first record of each line is left out, because it was a member or was waiting.
        for var line in self.transaction.lines.values {
            _ = line.popFirst()
            while let id = line.popFirst() { lineUp(id) }
        }
        self.transaction.lines = lines
        self.transaction.members = []
        self.transaction.waiting = waiting
        self.transaction.positions = []
        for index in self.assignments.indices { self.assignments[index].isDirty = true }
        if case .committing = self.phase { self.commit.isWantedNow = true }
    }

    // MARK: requests

    private func openTransactions() throws(KafkaError) {
        self.transaction.stage = .opening
        do {
            try self.broker.openTransactions()
        } catch {
            guard !error.isFatal else { throw error }
            self.transactionFailed(error)
        }
    }

    /// Commits the transaction if the broker has acknowledged every record in it. An empty transaction stays
    /// open.
    private func commitTransactionIfComplete() {
        guard self.transaction.members.count == self.table.count(of: .written) else { return }
        self.commit.isWantedNow = false
        self.commit.nextDue = self.now.after(self.settings.commitInterval)
        let positions = self.positionsOfTransaction()
        guard !positions.isEmpty || !self.transaction.members.isEmpty else {
            self.transaction.stage = .open
            return self.sendWaiting()
        }
        self.transaction.positions = positions
        self.transaction.stage = .committing
        self.broker.commitTransaction(positions)
    }

    /// Returns the positions of the group if the transaction is committed.
    private func positionsOfTransaction() -> [CommittedPosition] {
        var finished = [[Int64]](repeating: [], count: self.assignments.count)
        // A record that came back from the parking topic moves no position, because its offset was done when
        // it was parked.
        var unparked = [Int](repeating: 0, count: self.assignments.count)
        for id in self.transaction.members {
            let (index, offset, parking) = self.table.withEntry(id) { ($0.assignment, $0.offset, $0.parking) }
            if parking == .over { unparked[index] += 1 } else { finished[index].append(offset) }
        }
        return self.assignments.indices.compactMap { index in
            let isDirty = self.assignments[index].isDirty || !finished[index].isEmpty
            guard isDirty || unparked[index] > 0 else { return nil }
            self.assignments[index].isDirty = false
            let position = self.assignments[index].position(withFinished: finished[index])
            guard position == self.assignments[index].committed else { return position }
            guard unparked[index] > 0 else { return nil }
            // The position is the same as in the last commit. If the answer is lost, only the stamp tells the
            // two commits apart.
            let stamp = UInt32(truncatingIfNeeded: self.random.next())
            return self.assignments[index].position(withFinished: finished[index], stamp: stamp)
        }
    }

    private func abortTransactionIfDue() {
        if self.now.monotonic >= self.transaction.notBefore { self.abortTransaction() }
    }

    private func abortTransaction() {
        self.transaction.stage = .aborting
        self.broker.abortTransaction()
    }

    // MARK: answers

    func transactionAnswered(_ answer: Transactions.Answer) throws(KafkaError) {
        switch answer {
        case .opened where self.transaction.isInDoubt:
            self.transaction.stage = .deciding(retryAt: self.now.monotonic)
        case .opened, .aborted: self.transactionUndone()
        case .committed: self.transactionCommitted()
        case .failed(let error):
            if self.transaction.stage == .opening, error.isFatal { throw error }
            self.transactionFailed(error)
        }
    }

    /// Finds out whether the last commit took place, by the group's committed offsets. If the cluster does
    /// not answer, the question is repeated a second later.
    private func decideTransaction() throws(KafkaError) {
        do {
            let stored = try self.broker.committed(self.transaction.positions.map(\.partition))
            let isCommitted = stored.contains { self.transaction.positions.contains($0) }
            self.logger.notice("transaction decided", metadata: ["committed": "\(isCommitted)"])
            if isCommitted { self.transactionCommitted() } else { self.transactionUndone() }
        } catch {
            guard !error.isFatal else { throw error }
            self.logger.warning("committed offsets not known yet", metadata: ["error": "\(error)"])
            self.transaction.stage = .deciding(retryAt: self.now.after(.seconds(1)))
        }
    }

    private func transactionCommitted() {
        let (members, positions) = (self.transaction.members, self.transaction.positions)
        self.transaction.members = []
        self.transaction.positions = []
        self.transaction.failures = 0
        self.transaction.notBefore = .min
        self.commitSucceeded(positions)
        for id in members { self.finish(id) }
        self.begin()
    }

    private func transactionUndone() {
        self.requeueMembers()
        self.begin()
    }

    private func begin() {
        self.transaction.stage = .open
        self.transaction.isBroken = false
        self.sendWaiting()
    }

    private func transactionFailed(_ error: KafkaError) {
        self.countFailedCommit(error)
        self.delayTransaction()
        if error.requiresAbort, self.transaction.stage == .committing {
            self.transaction.positions = []
            self.abortTransaction()
        } else {
            // A new producer with the same `transactional.id` ends the transaction, whatever has happened to
            // it.
            self.transaction.stage = .closed(retryAt: self.transaction.notBefore)
        }
    }

    private func delayTransaction() {
        self.transaction.failures += 1
        let delay = Backoff.ofTransactions.delay(
            afterFailures: self.transaction.failures,
            using: &self.random
        )
        self.transaction.notBefore = self.now.after(delay)
    }

    /// Notes that the producer cannot be used any more. If a request is under way, its answer reports the
    /// same.
    func producerFailed(_ error: KafkaError) {
        switch self.transaction.stage {
        case .open, .closing: self.transactionFailed(error)
        case .closed, .opening, .deciding, .committing, .aborting: break
        }
    }
}
