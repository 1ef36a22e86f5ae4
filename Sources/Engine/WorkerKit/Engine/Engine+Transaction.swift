import Kafka
import Logging
import ServiceKit

// Results, dead letters and offsets as one transaction (`delivery: exactly-once`). `TransactionState` says
// which records are in the transaction and what is next; here the producer is asked.
//
// Once in a commit interval the transaction takes no new members. When the rest is acknowledged, it is
// committed together with the positions that its records lead to, and only then are the records finished. If
// the transaction is aborted instead, the outcomes are sent again in the next one, in the same order. No call is
// repeated for that.
//
// If the answer to a commit is lost, it is not known whether the commit took place. Then the producer is made
// anew, which makes the cluster decide. The group's committed offsets tell the decision, because the
// positions were part of the transaction.
extension Engine {
    /// Takes the next step of the transaction if it is due.
    ///
    /// - Throws: The error of the producer or of the consumer if it is fatal.
    func turnTransaction() throws(KafkaError) {
        self.sendWaiting()
        if self.transaction.isOpen, self.isTransactionDue { self.transaction.close() }
        switch self.transaction.nextStep(at: self.now.monotonic) {
        case .open?: try self.openTransactions()
        case .decide?: try self.decideTransaction()
        case .commit?: self.commitTransactionIfComplete()
        case .abort?: self.broker.abortTransaction()
        case nil: break
        }
    }

    /// The monotonic time of the next step that no event announces; nil if there is none.
    var nextTransactionStep: Int64? {
        self.transaction.nextTime(
            whenDue: self.isThereSomethingToCommit
                ? self.commits.nextCommit(mayCommit: self.phase == .working, hasChanged: true) : nil
        )
    }

    private var isThereSomethingToCommit: Bool {
        !self.transaction.members.isEmpty || self.assignments.contains { $0.isDirty }
    }

    private var isTransactionDue: Bool {
        if self.commits.isLastWanted, !self.isThereSomethingToCommit { self.commits.lastNotNeeded() }
        return self.nextTransactionStep.map { $0 <= self.now.monotonic } ?? false
    }

    // MARK: records

    /// Lets a record take part in the current transaction.
    ///
    /// - Returns: False if the record has to wait: for room in the transaction, for the next one, or for an earlier
    ///   record of its key.
    func joinTransaction(_ id: EntryID) -> Bool {
        if self.transaction.hasLines, let key = self.orderingKey(of: self.table[id].record),
            !self.transaction.isItsTurn(id, in: key)
        {
            return false
        }
        return self.transaction.join(id, in: &self.table)
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
        guard self.transaction.hasLines, let key = self.orderingKey(of: self.table[id].record),
            let next = self.transaction.written(id, in: key)
        else { return }
        self.sendOrWait(next)
    }

    /// Notes that a record could not be sent.
    func transactionBroken(by id: EntryID, _ error: KafkaError) {
        self.table.waitForTransaction(id)
        guard self.transaction.broken(at: self.now.monotonic, using: &self.random) else { return }
        self.countFailedCommit(error)
    }

    /// Sends the waiting records for which the transaction has room.
    private func sendWaiting() {
        while let id = self.transaction.nextWaiting(in: &self.table) { self.sendOrWait(id) }
    }

    // MARK: requests

    private func openTransactions() throws(KafkaError) {
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
        self.commits.turnTaken(at: self.now.monotonic)
        let positions = self.positionsOfTransaction()
        guard self.transaction.commit(positions) else { return self.sendWaiting() }
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

    // MARK: answers

    func transactionAnswered(_ answer: Transactions.Answer) throws(KafkaError) {
        switch answer {
        case .opened: if self.transaction.opened(at: self.now.monotonic) { self.transactionUndone() }
        case .aborted: self.transactionUndone()
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
            self.transaction.undecided(until: self.now.after(.seconds(1)))
        }
    }

    private func transactionCommitted() {
        let positions = self.transaction.positions
        let members = self.transaction.committed()
        self.commitSucceeded(positions)
        for id in members { self.finish(id) }
        self.transaction.begin()
        self.sendWaiting()
    }

    private func transactionUndone() {
        for id in self.transaction.undone(in: &self.table, order: self.settings.ordering) {
            self.keepInHand(id)
        }
        for index in self.assignments.indices { self.assignments[index].isDirty = true }
        // The last commit of the assignment was in the transaction that did not take place.
        if case .committing = self.phase { self.commits.lastWanted(at: self.now.monotonic) }
        self.transaction.begin()
        self.sendWaiting()
    }

    private func transactionFailed(_ error: KafkaError) {
        self.countFailedCommit(error)
        if self.transaction.failed(error, at: self.now.monotonic, using: &self.random) {
            self.broker.abortTransaction()
        }
    }

    /// Notes that the producer cannot be used any more. If a request is under way, its answer reports the
    /// same.
    func producerFailed(_ error: KafkaError) {
        if self.transaction.isIdle { self.transactionFailed(error) }
    }
}
