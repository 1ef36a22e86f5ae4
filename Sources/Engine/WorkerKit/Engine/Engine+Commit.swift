import Kafka
import Logging
import ServiceKit

// From settled records to committed offsets. `CommitSchedule` says when; the positions are those of the
// assignments.
extension Engine {
    /// The monotonic time at which the next commit is due; nil if there is nothing to commit, or a commit is
    /// not answered yet.
    var nextCommit: Int64? {
        self.commits.nextCommit(
            mayCommit: self.mayCommit,
            hasChanged: self.assignments.contains { $0.isDirty }
        )
    }

    /// Sends a commit if one is due and positions have changed.
    ///
    /// - Throws: The error of the consumer if it is fatal. After any other error the positions are sent
    ///   again.
    func commitIfDue() throws(KafkaError) {
        guard self.commits.takeTurn(mayCommit: self.mayCommit, at: self.now.monotonic) else { return }
        let positions = self.changedPositions()
        guard !positions.isEmpty else { return }
        let id = self.commits.begin(positions)
        self.settledSuspects.commitBegan()
        do {
            try self.broker.commit(positions, id: id)
        } catch {
            _ = self.commits.end(id)
            guard !error.isFatal else { throw error }
            self.commitFailed(positions, error)
        }
    }

    /// Whether regular commits are made in this phase.
    private var mayCommit: Bool {
        switch self.phase {
        case .working, .draining: true
        case .idle, .assigning, .committing, .leaving, .left: false
        }
    }

    /// Whether the last commit of an assignment is still to be answered.
    var isCommitOutstanding: Bool {
        switch self.settings.delivery {
        case .atLeastOnce: self.commits.isOutstanding
        case .exactlyOnce:
            self.commits.isLastWanted || self.table.settlingCount > 0 || self.transaction.isInDoubt
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
        guard let positions = self.commits.end(id) else { return }
        if let error { return self.commitFailed(positions, error) }
        self.forgive(self.settledSuspects.committed())
        self.commitSucceeded(positions)
    }

    /// Notes that the group has committed these positions, with a commit or with a transaction.
    func commitSucceeded(_ positions: [CommittedPosition]) {
        let failures = self.commits.succeeded()
        if failures > 0 {
            self.logger.notice("commits succeed again", metadata: ["failed": "\(failures)"])
        }
        self.metrics.committed()
        let positions = Dictionary(positions.map { ($0.partition, $0) }) { $1 }
        for index in self.assignments.indices {
            guard let position = positions[self.assignments[index].partition] else { continue }
            self.corrections[position.partition] = nil
            self.assignments[index].committed = position
            self.assignments[index].committedAt = self.now.monotonic
        }
    }

    /// Counts a commit that failed. The log gets the first failure of a row.
    func countFailedCommit(_ error: KafkaError) {
        self.metrics.commitFailed()
        guard self.commits.failed(error, at: self.now.monotonic) else { return }
        self.logger.warning("commit failed; will try again", metadata: ["error": "\(error)"])
    }

    /// Sends the positions again with the next commit; if there is none, the next owner reads the records
    /// again. The last commit of an assignment has no next one, so it is repeated as long as there is time and
    /// the group still accepts this member.
    private func commitFailed(_ positions: [CommittedPosition], _ error: KafkaError) {
        self.settledSuspects.commitFailed()
        guard error.code != .noOffset else { return }
        self.countFailedCommit(error)
        let partitions = Set(positions.map(\.partition))
        for index in self.assignments.indices where partitions.contains(self.assignments[index].partition) {
            self.assignments[index].isDirty = true
        }
        guard case .committing = self.phase, error.code != .illegalGeneration, error.code != .unknownMember
        else { return }
        self.commits.lastFailed(at: self.now.monotonic)
    }
}
