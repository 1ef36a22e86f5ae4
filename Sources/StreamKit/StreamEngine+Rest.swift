import WorkerKit

// When nothing is done: because there is no room, or because there is nothing to do.
extension StreamEngine {
    private static var bytesInterval: Duration { .seconds(2) }

    /// Whether the state has grown beyond what it may take. It shrinks when messages end, or when others take
    /// partitions over.
    var isFull: Bool {
        if self.now.monotonic >= self.bytesCountedAt {
            self.bytesCountedAt = self.now.after(Self.bytesInterval)
            self.byteCount = self.assignments.reduce(0) { $0 + $1.task.byteCount }
            self.metrics.held(bytes: self.byteCount)
        }
        return self.byteCount > self.settings.memoryLimit
    }

    /// How long nothing has to be done if nothing happens.
    var sleep: Duration {
        var due = self.now.after(.seconds(1))
        switch self.stage {
        case .closed(let retryAt): due = min(due, retryAt)
        case .open where self.hasWork: due = min(due, self.transactionDue)
        case .open, .opening, .closing, .committing: break
        }
        if self.offered != nil { due = min(due, self.offerRetryAt) }
        if let wall = self.assignments.lazy.filter(\.isWorking).compactMap(\.task.nextDue).min() {
            due = min(due, self.now.after(.milliseconds(max(0, wall.subtractingClamped(self.now.wall)))))
        }
        return .nanoseconds(max(0, due - self.now.monotonic))
    }
}
