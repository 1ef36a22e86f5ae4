import Records
import ServiceKit

// The engine rests where there is no room, or nothing to do.
extension StreamEngine {
    /// The time between two counts of what the state takes.
    private static var bytesInterval: Duration { .seconds(2) }

    /// How long the others wait for a state that is read back, before they give up anything. A state that cannot be read
    /// to its end must not stop them.
    private static var restorePatience: Duration { .seconds(30) }

    private func isBeingReadBack(_ assignment: Assignment<B.Source>) -> Bool {
        guard case .restoring(_, let since) = assignment.stage else { return false }
        return self.now.monotonic < since.addingClamped(Self.restorePatience.wholeNanoseconds)
    }

    /// The weight of the records between two counts of what the state takes, however fast they come: after an
    /// outage there are as many as were published in it. A record adds some hundred bytes, or what it holds, so
    /// this is a small part of the limit.
    var recordsBetweenCounts: Int { max(64, self.settings.memoryLimit / 4_096) }

    /// Whether the states take more memory than they may. They shrink when messages end, or when other
    /// workers take partitions over.
    ///
    /// Reading this property counts the bytes again where that is due.
    var isFull: Bool {
        if self.now.monotonic >= self.bytesCountedAt || self.recordsSinceCount >= self.recordsBetweenCounts {
            self.recordsSinceCount = 0
            self.bytesCountedAt = self.now.after(Self.bytesInterval)
            var counted = MemoryBudget.Part()
            for index in self.assignments.indices {
                self.assignments[index].byteCount = self.assignments[index].task.byteCount
                counted.add(
                    self.assignments[index].byteCount,
                    isRestoring: self.isBeingReadBack(self.assignments[index])
                )
            }
            self.budget.change(from: self.held, to: counted)
            self.held = counted
            self.metrics.held(bytes: counted.bytes)
        }
        return self.budget.isExceeded
    }

    /// The bytes that count as much as a record.
    private static var bytesPerRecord: Int { 256 }

    /// Returns how much a record counts towards `recordsBetweenCounts`.
    static func weight(of record: borrowing InboundRecord) -> Int {
        1 + (record.value?.count ?? 0) / Self.bytesPerRecord
    }

    /// Tells the output whether memory is short for the task of a partition, which is about to put out.
    func tellWhetherCrowded(_ assignment: Assignment<B.Source>) {
        self.output.isCrowded = self.budget.isCrowded(assignment.byteCount)
        self.output.excess = self.budget.excess(assignment.byteCount)
    }

    /// The time for which nothing has to be done if nothing happens: at most until the next look for a standstill.
    var sleep: Duration {
        var due = min(self.stallLookAt, self.leavingUntil)
        switch self.stage {
        case .closed(let retryAt): due = min(due, retryAt)
        case .open, .closing: if self.isBroken { due = .min }
        // The answer to the request that is under way arrives as an event.
        case .opening, .committing: break
        }
        if self.stage == .open { due = min(due, self.nextStep) }
        // How long a log has been too short is looked at once a second.
        if self.assignments.contains(where: { $0.shortEnd != nil }) {
            due = min(due, self.now.after(.seconds(1)))
        }
        return .nanoseconds(max(0, due.subtractingClamped(self.now.monotonic)))
    }

    /// The monotonic time at which something can be done in the open transaction.
    private var nextStep: Int64 {
        var due = self.offered == nil ? Int64.max : self.offerRetryAt
        if self.hasWork || self.phase == .working && self.isFull {
            due = min(due, self.transactionDue)
        } else if self.phase == .working,
            let wall = self.assignments.lazy.filter(\.isWorking).compactMap(\.task.nextDue).min()
        {
            let wait = max(0, wall.subtractingClamped(self.provenNow.wall))
            due = min(due, max(self.transactionDue, self.now.after(.milliseconds(wait))))
        }
        return due
    }
}
