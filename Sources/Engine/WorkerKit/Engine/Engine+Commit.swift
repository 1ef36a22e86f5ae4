import Kafka
import Logging
import ServiceKit

/// The state of the commits of the current assignment. With `delivery: exactly-once`, `outstanding` stays
/// nil, because the transactions carry the positions.
struct CommitState: Sendable {
    /// The positions of the commit that is not answered yet, and its id; nil if there is none.
    var outstanding: (id: UInt64, positions: [CommittedPosition])?
    /// Whether the last commit of an assignment is to be made.
    var isWantedNow = false
    /// The monotonic time before which no regular commit is made.
    var nextDue: Int64 = .min
    /// The monotonic time before which the last commit of an assignment is not sent. It lies ahead only after
    /// a commit that failed.
    var lastDue: Int64 = .min
    /// The number of failed commits in a row.
    var failures = 0

    var isOutstanding: Bool { self.outstanding != nil || self.isWantedNow }
}

// From settled records to committed offsets.
extension Engine {
    /// The monotonic time at which the next commit is due; nil if there is nothing to commit, or a commit is
    /// not answered yet.
    var nextCommit: Int64? {
        guard self.commit.outstanding == nil else { return nil }
        if self.commit.isWantedNow { return self.commit.lastDue }
        guard self.phase == .working || self.isDraining else { return nil }
        return self.assignments.contains { $0.isDirty } ? self.commit.nextDue : nil
    }

    /// Sends a commit if one is due and positions have changed.
    ///
    /// - Throws: The error of the consumer if it is fatal. After any other error the positions are sent
    ///   again.
    func commitIfDue() throws(KafkaError) {
        guard self.commit.outstanding == nil else { return }
        if self.commit.isWantedNow {
            guard self.now.monotonic >= self.commit.lastDue else { return }
            self.commit.isWantedNow = false
        } else {
            guard self.now.monotonic >= self.commit.nextDue, self.phase == .working || self.isDraining else {
                return
            }
        }
        // The time is set even if no position has changed, because the comparison takes time too.
        self.commit.nextDue = self.now.after(self.settings.commitInterval)
        let positions = self.changedPositions()
        guard !positions.isEmpty else { return }
        self.lastCommitID += 1
        do {
            try self.broker.commit(positions, id: self.lastCommitID)
            self.commit.outstanding = (self.lastCommitID, positions)
        } catch {
            guard !error.isFatal else { throw error }
            self.commitFailed(positions, error)
        }
    }

    private var isDraining: Bool { if case .draining = self.phase { true } else { false } }

    /// Whether the last commit of an assignment is still to be answered.
    var isCommitOutstanding: Bool {
        switch self.settings.delivery {
        case .atLeastOnce: self.commit.isOutstanding
        case .exactlyOnce:
            self.commit.isWantedNow || self.table.settlingCount > 0 || self.transaction.isInDoubt
                || !self.transaction.members.isEmpty
        }
    }

    /// Returns the positions that have changed since the last commit, and marks them as sent.
    private func changedPositions() -> [CommittedPosition] {
        var changed: [CommittedPosition] = []
        for index in self.assignments.indices where self.assignments[index].isDirty {
            self.assignments[index].isDirty = false
            guard let position = self.assignments[index].position else { continue }
            if position != self.assignments[index].committed { changed.append(position) }
        }
        return changed
    }

    func commitAnswered(_ id: UInt64, _ error: KafkaError?) {
        // The answer may belong to an earlier assignment, and then it says nothing about this one.
        guard let outstanding = self.commit.outstanding, outstanding.id == id else { return }
        self.commit.outstanding = nil
        if let error { return self.commitFailed(outstanding.positions, error) }
        self.commitSucceeded(outstanding.positions)
    }

    /// Notes that the group has committed these positions, with a commit or with a transaction.
    func commitSucceeded(_ positions: [CommittedPosition]) {
        if self.commit.failures > 0 {
            self.logger.notice("commits succeed again", metadata: ["failed": "\(self.commit.failures)"])
        }
        self.commit.failures = 0
        self.commitTrouble = nil
        self.metrics.committed()
        let positions = Dictionary(positions.map { ($0.partition, $0) }) { $1 }
        for index in self.assignments.indices {
            guard let position = positions[self.assignments[index].partition] else { continue }
            self.assignments[index].committed = position
            self.assignments[index].committedAt = self.now.monotonic
        }
    }

    /// Counts a commit that failed. The log gets the first failure of a row.
    func countFailedCommit(_ error: KafkaError) {
        self.metrics.commitFailed()
        if self.commit.failures == 0 {
            self.logger.warning("commit failed; will try again", metadata: ["error": "\(error)"])
        }
        self.commit.failures += 1
        self.commitTrouble = Trouble(error, since: self.commitTrouble?.since ?? self.now.monotonic)
    }

    /// Sends the positions again with the next commit; if there is none, the next owner reads the records
    /// again. The last commit of an assignment has no next one, so it is repeated every 100 ms as long as
    /// there is time and the group still accepts this member.
    private func commitFailed(_ positions: [CommittedPosition], _ error: KafkaError) {
        guard error.code != .noOffset else { return }
        self.countFailedCommit(error)
        let partitions = Set(positions.map(\.partition))
        for index in self.assignments.indices where partitions.contains(self.assignments[index].partition) {
            self.assignments[index].isDirty = true
        }
        guard case .committing = self.phase, error.code != .illegalGeneration, error.code != .unknownMember
        else { return }
        self.commit.isWantedNow = true
        self.commit.lastDue = self.now.after(.milliseconds(100))
    }
}
