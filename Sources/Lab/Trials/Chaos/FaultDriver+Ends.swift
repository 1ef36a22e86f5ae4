import Harness
import Terminal

// How worker processes end, and how the next ones are started.
extension FaultDriver {
    // MARK: - Ends

    /// Handles the workers that have exited since the last call, and starts the workers whose restart is due.
    /// A worker that does not stop within `longestLeaving` is killed.
    func takeEnds() throws {
        for (crew, slot) in self.targets.map(\.crew).flatMap({ crew in crew.slots.map { (crew, $0) } }) {
            switch slot.takeEnd() {
            case .killed, nil: break
            case .left(let exit, let took):
                if exit != .code(0) { self.object(.worker, "\(slot.name) left with \(exit)") }
                self.tell("\(slot.name) has left, \(took.shown) after SIGTERM")
                self.tally.longestLeaving = max(self.tally.longestLeaving, took)
            case .gaveUp(let lastWords):
                self.tell("\(slot.name) gives up: \(lastWords)")
                self.tally.clientFailures += 1
                try self.restart(slot, of: crew, after: lastWords)
            case .died(let exit, let lastWords):
                self.tell("\(slot.name) has ended by itself: \(exit)")
                self.object(.worker, "\(slot.name) ended by itself (\(exit)): \(lastWords)")
                try self.restart(slot, of: crew, after: lastWords)
            }
            if case .leaving(let since) = slot.state, since.duration(to: .now) > Self.longestLeaving {
                self.object(
                    .worker,
                    "\(slot.name) had not ended \(Self.longestLeaving.shown) after SIGTERM"
                )
                slot.kill()
            }
        }
        try self.beginNextLives()
    }

    /// Starts a worker that has exited by itself again, as a supervisor does. Fails if that happens too
    /// often.
    private func restart(_ slot: WorkerSlot, of crew: ChaosCrew, after lastWords: String) throws {
        self.tally.deaths += 1
        guard self.tally.deaths < Self.deathsLimit else {
            throw Complaint("workers do not stay; the last said: \(lastWords)")
        }
        guard let worker = crew.slots.firstIndex(where: { $0 === slot }) else { return }
        if worker < crew.size { try crew.start(worker, queueLimit: nil) }
    }

    /// Starts the workers whose fault is over, as soon as their last process has ended.
    private func beginNextLives() throws {
        var waiting: [(crew: ChaosCrew, worker: Int, fault: ChaosFault)] = []
        for (crew, worker, fault) in self.restarts {
            let slot = crew.slots[worker]
            guard slot.state == .absent else {
                waiting.append((crew, worker, fault))
                continue
            }
            self.tell("\(slot.name) is back\(Self.queue(fault))")
            try crew.start(worker, queueLimit: fault.queueLimit)
        }
        self.restarts = waiting
    }
}
