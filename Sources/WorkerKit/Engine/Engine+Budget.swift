import Logging
import WireFormats

// The dead-letter budget: a worker that is about to empty its topic into the dead letters stops instead.
//
// A record that may not be dead-lettered now stays in hand, condemned, and with it everything stops: no call is made
// and nothing is read beyond what is ready. As soon as the budget has room, the condemned go first.
extension Engine {
    /// Whether dead letters wait for the budget, and the worker with them.
    var isOverBudget: Bool { !self.condemned.isEmpty }

    /// - Returns: false if the record has to wait for the budget.
    func affordsDeadLetter(_ id: EntryID, _ rejection: Rejection) -> Bool {
        switch self.budget.admits(at: self.now.monotonic) {
        case .yes: return true
        case .no(let exhaustion, let until):
            self.table.withEntry(id) { entry in
                entry.state = .condemned
                entry.death = (rejection, entry.death?.at ?? self.now.wall)
            }
            if !self.isOverBudget { self.overrun(exhaustion, until: until) }
            self.condemned.append(id)
            self.metrics.budgetRefused()
            return false
        }
    }

    private func overrun(_ exhaustion: DeadLetterBudget.Exhaustion, until: Int64) {
        self.logger.error(
            "dead-letter budget exhausted: the worker pauses and nothing is lost; look at what is in the dead letters",
            metadata: [
                "because": "\(exhaustion)",
                "seconds": "\(max(0, until - self.now.monotonic) / 1_000_000_000)",
            ]
        )
    }

    /// When the budget may have room again; nil if nobody waits for it.
    var nextBudget: Int64? {
        guard self.isOverBudget, case .no(_, let until) = self.budget.admits(at: self.now.monotonic) else {
            return self.isOverBudget ? self.now.monotonic : nil
        }
        return until
    }

    /// Lets the condemned go, as far as the budget reaches.
    func buryCondemned() {
        guard self.isOverBudget else { return }
        while let id = self.condemned.first {
            guard self.table.state(of: id) == .condemned, let death = self.table[id].death else {
                _ = self.condemned.popFirst()
                continue
            }
            guard case .yes = self.budget.admits(at: self.now.monotonic) else { return }
            _ = self.condemned.popFirst()
            self.deadLetter(id, death.rejection)
        }
        self.logger.notice("dead-letter budget has room again: the worker goes on")
    }
}
