import Kafka
import Logging
import ServiceKit

// The engine works in one transaction after the other. Each holds what tasks have published and written down,
// and the positions of the group that belong to it.
extension StreamEngine {
    /// Whether there is anything to send or to commit.
    var hasWork: Bool {
        self.hasSent || self.transactionRecords > 0 || self.hasSkipped || !self.output.isEmpty
    }

    /// Whether everything that was read is committed, and nothing is about to change. A transaction that has failed is
    /// done again first.
    package var isInputCommitted: Bool {
        self.phase == .working && self.stage == .open && !self.isBroken && !self.hasWork
            && self.offered == nil
            && self.assignments.allSatisfy(\.isWorking)
    }

    /// The monotonic time at which the open transaction is to be committed.
    var transactionDue: Int64 {
        let (due, overflow) = self.transactionSince.addingReportingOverflow(
            self.settings.commitInterval.wholeNanoseconds
        )
        return overflow ? .max : due
    }

    private var isSomethingDue: Bool {
        self.assignments.contains { $0.isWorking && ($0.task.nextDue ?? .max) <= self.provenNow.wall }
    }

    func turnTransaction() throws(KafkaError) {
        if self.isBroken, self.stage == .open || self.stage == .closing { self.close() }
        switch self.stage {
        case .closed(let retryAt): if self.now.monotonic >= retryAt { try self.open() }
        case .opening, .committing: break
        case .open: if self.isTransactionDue { self.endTransaction() }
        case .closing: self.commitIfComplete()
        }
    }

    private var isTransactionDue: Bool {
        if self.phase != .working { return self.hasWork }
        if self.transactionRecords >= self.recordsAllowed { return true }
        // A state that is full may forget at the end of a transaction, and only there.
        return self.hasWork || self.isSomethingDue || self.isFull
            ? self.now.monotonic >= self.transactionDue : false
    }

    private func open() throws(KafkaError) {
        self.stage = .opening
        do {
            try self.broker.openTransactions()
        } catch {
            guard !error.isFatal else { throw error }
            self.failed(error)
        }
    }

    private func endTransaction() {
        self.stage = .closing
        for assignment in self.assignments where assignment.isWorking {
            self.tellWhetherCrowded(assignment)
            let now = self.provenNow
            assignment.task.collect(at: now, progress: assignment.progress(at: now), self.output)
        }
        // Tasks that were asked to give something up are asked again by what they take now.
        if self.budget.isExceeded { self.bytesCountedAt = .min }
        self.flush()
        self.commitIfComplete()
    }

    private func commitIfComplete() {
        guard !self.isBroken, self.output.isEmpty, self.unreported == 0 else { return }
        guard self.hasSent || self.transactionRecords > 0 || self.hasSkipped else {
            self.transactionSince = self.now.monotonic
            self.stage = .open
            return
        }
        // Positions that have not moved are committed too: a worker that has lost one of these partitions
        // without knowing it must not be able to commit.
        self.commits += 1
        let signature = "\(self.signature):\(self.commits)"
        let positions = self.assignments.filter(\.isWorking).compactMap { assignment in
            assignment.standing.map {
                CommittedPosition(
                    partition: assignment.partition,
                    offset: $0,
                    metadata: CommitStamp.text(
                        assignment.partition,
                        offset: $0,
                        after: assignment.landmark,
                        of: self.clusterID,
                        by: signature
                    )
                )
            }
        }
        self.stage = .committing(positions)
        self.broker.commitTransaction(positions)
    }

    // MARK: - Answers

    /// Takes the answer to a request about a transaction.
    ///
    /// - Returns: An error that ends the engine; nil if the engine goes on.
    func answered(_ answer: Transactions.Answer) -> KafkaError? {
        switch answer {
        case .opened:
            self.begin()
            // The tasks in memory may be ahead of what is written.
            self.retakeAll()
        case .committed:
            // While nothing can be written, transactions without a record in them are committed all the same, also such as
            // step over the markers of those that failed. They are no progress.
            var hasMoved = false
            if case .committing(let positions) = self.stage { hasMoved = self.noteCommitted(positions) }
            self.metrics.committed()
            self.forgiveSuspects()
            if self.hasSent || hasMoved && (self.hasTaken || self.failures == 0) {
                self.recordsAllowed = min(self.settings.transactionRecords, self.recordsAllowed * 2)
                self.committedTransactions += 1
                self.failures = 0
            }
            self.begin()
        case .aborted: break
        case .failed(let error):
            if self.stage == .opening, error.isFatal { return error }
            self.failed(error)
        }
        return nil
    }

    /// - Returns: Whether a position has moved.
    private func noteCommitted(_ positions: [CommittedPosition]) -> Bool {
        var hasMoved = false
        for position in positions {
            guard let index = self.assignments.firstIndex(where: { $0.partition == position.partition })
            else {
                continue
            }
            if self.assignments[index].committed.offset != position.offset { hasMoved = true }
            self.assignments[index].committed = position
            self.assignments[index].position = nil
        }
        return hasMoved
    }

    private func begin() {
        self.stage = .open
        self.isBroken = false
        self.hasSent = false
        self.hasTaken = false
        self.hasSkipped = false
        self.transactionRecords = 0
        self.transactionSince = self.now.monotonic
    }

    // MARK: - Failures

    /// Notes that a part of the transaction is missing, so that the transaction may not be committed.
    ///
    /// - Parameter perhapsBySize: Whether the cluster may have had too little time for its records.
    func broken(_ error: KafkaError, perhapsBySize: Bool = true) {
        guard !self.isBroken, self.stage == .open || self.stage == .closing else { return }
        self.isBroken = true
        if perhapsBySize { self.allowFewerRecords() }
        self.tell(error)
    }

    private func failed(_ error: KafkaError) {
        self.allowFewerRecords()
        self.tell(error)
        self.close()
    }

    private func allowFewerRecords() {
        guard self.transactionRecords > 0 else { return }
        self.recordsAllowed = max(1, self.transactionRecords / 2)
    }

    private func tell(_ error: KafkaError) {
        self.metrics.failed()
        self.lastTrouble = "\(error)"
        self.logger.warning("transaction failed", metadata: ["error": "\(error)"])
    }

    /// Gives the producer up. The next producer of its transactional id ends the transaction that it has left
    /// open.
    private func close() {
        self.failures += 1
        self.failedAt = self.now.monotonic
        self.output.removeAll()
        self.suspects = []
        self.unreported = 0
        self.lastForeignID = self.lastID
        self.kept = [:]
        let delay = Backoff.ofTransactions.delay(afterFailures: self.failures, using: &self.random)
        self.stage = .closed(retryAt: self.now.after(delay))
    }
}
