import Kafka
import Logging

// Results, dead letters and offsets as one transaction (`delivery: exactly-once`).
//
// A transaction is open at almost any time. Records join it with what the broker is to have of them, and stay in
// hand when the broker has it; once in a commit interval nobody joins any more, the rest is acknowledged, and the
// transaction is committed together with the positions that its records lead to. Only then are they finished. If it
// is aborted instead, they are sent again in the next one, in the same order: no call is made twice for it.
//
// If nobody knows whether a commit took place, the producer is made anew. That has the cluster decide, and what the
// group has committed afterwards tells how: the positions were part of the transaction.
extension Engine {
    /// Takes the next step that is due.
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

    /// When a step is due that no event will tell of.
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
    /// - Returns: false if it has to wait for the next.
    func joinTransaction(_ id: EntryID) -> Bool {
        // A member of one that is on its way out is sent again in the next, with all the others.
        if self.table[id].isInTransaction { return self.transactionTakesMembers }
        guard self.transaction.stage == .open, !self.transaction.isBroken else {
            self.transaction.waiting.append(id)
            return false
        }
        self.table[id].isInTransaction = true
        self.transaction.members.append(id)
        self.transaction.unacknowledged += 1
        return true
    }

    /// Whether members can go on sending what they have not sent yet. What is sent while a transaction ends may come
    /// after its end, and would be in the next one as well as in this.
    private var transactionTakesMembers: Bool {
        switch self.transaction.stage {
        case .open, .closing: !self.transaction.isBroken
        case .closed, .opening, .deciding, .committing, .aborting: false
        }
    }

    /// The broker has acknowledged all of a record. The next of its key may go ahead: what is sent of that comes
    /// later in this transaction or in a later one, whatever becomes of this one.
    func writtenInTransaction(_ id: EntryID) {
        self.transaction.unacknowledged -= 1
        self.table[id].state = .written
        self.releaseOrder(of: id)
        self.advanceLine(behind: id)
    }

    /// Whether nothing of its key has to be written before this record. If something has, the record lines up.
    func isItsTurn(_ id: EntryID) -> Bool {
        guard !self.transaction.lines.isEmpty, let key = self.orderingKey(of: self.table[id].record),
            let first = self.transaction.lines[key]?.first, first != id
        else { return true }
        self.transaction.lines[key]?.append(id)
        return false
    }

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

    /// A record could not be sent, and the transaction cannot be committed without it.
    func transactionBroken(by id: EntryID, _ error: KafkaError) {
        self.table[id].state = .waiting
        // Those that fail with it are no failures of their own: counted one by one, they would put the abort off until
        // the cluster has long ended the transaction by itself.
        guard !self.transaction.isBroken else { return }
        self.transaction.isBroken = true
        self.countFailedCommit(error)
        self.delayTransaction()
    }

    private func sendWaiting() {
        while self.transaction.stage == .open, !self.transaction.isBroken,
            let id = self.transaction.waiting.popFirst()
        {
            if self.table.state(of: id) == .waiting { self.sendOrWait(id) }
        }
    }

    /// Nothing of the transaction is there any more: its records go into the next one, before all others. Those of a key
    /// were released one by one as they were written, and now there can be several of it: they line up.
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
            if self.table[id].state == .written { self.settlingCount += 1 }
            guard !self.table[id].mustStay || self.table[id].settlement != nil else {
                self.keepInHand(id)
                continue
            }
            self.table.withEntry(id) { entry in
                entry.state = .waiting
                entry.acknowledged = 0
                entry.refusals = 0
                entry.isInTransaction = false
            }
            lineUp(id)
        }
        while let id = self.transaction.waiting.popFirst() { lineUp(id) }
        // The first of each line was among those.
        for var line in self.transaction.lines.values {
            _ = line.popFirst()
            while let id = line.popFirst() { lineUp(id) }
        }
        self.transaction.lines = lines
        self.transaction.members = []
        self.transaction.unacknowledged = 0
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

    private func commitTransactionIfComplete() {
        guard self.transaction.unacknowledged == 0 else { return }
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

    /// Where the group will stand if the transaction is committed.
    private func positionsOfTransaction() -> [CommittedPosition] {
        var finished = [[Int64]](repeating: [], count: self.assignments.count)
        // The offsets of records that came back from the parking topic are done already.
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
            // Should the answer be lost, this commit must be told from the last one.
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

    /// What the group has committed tells how the cluster has decided.
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
            // Whatever has become of it, a new producer of the same name ends it.
            self.transaction.stage = .closed(retryAt: self.transaction.notBefore)
        }
    }

    private func delayTransaction() {
        self.transaction.failures += 1
        let delay = Self.transactionBackoff.delay(
            afterFailures: self.transaction.failures,
            using: &self.random
        )
        self.transaction.notBefore = self.now.after(delay)
    }

    private static var transactionBackoff: Backoff {
        Backoff(base: .milliseconds(100), longest: .seconds(10))
    }

    /// If a request is under way, its answer tells the same.
    func producerFailed(_ error: KafkaError) {
        switch self.transaction.stage {
        case .open, .closing: self.transactionFailed(error)
        case .closed, .opening, .deciding, .committing, .aborting: break
        }
    }
}
