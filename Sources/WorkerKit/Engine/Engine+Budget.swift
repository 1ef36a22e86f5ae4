import Logging
import WireFormats

// The dead-letter budgets: a lane that is about to be emptied into the dead letters for one reason waits instead.
//
// A record that may not be dead-lettered now stays in hand, condemned. Records of other lanes and reasons go on. As soon
// as its budget has room, a condemned record goes first.
extension Engine {
    /// - Returns: false if the record has to wait for the budget.
    func affordsDeadLetter(_ id: EntryID, _ rejection: Rejection) -> Bool {
        let account = self.account(of: id, rejection)
        guard self.condemned[account] == nil else {
            self.condemn(id, rejection, in: account)
            return false
        }
        switch self.budgets.admits(account, at: self.now.monotonic) {
        case .yes: return true
        case .no(let exhaustion, let until):
            self.overrun(account, exhaustion, until: until)
            self.condemn(id, rejection, in: account)
            return false
        }
    }

    func account(of id: EntryID, _ rejection: Rejection) -> DeadLetterBudgets.Account {
        self.budgets.account(lane: self.table[id].lane ?? "", reason: rejection.reason.code)
    }

    private func condemn(_ id: EntryID, _ rejection: Rejection, in account: DeadLetterBudgets.Account) {
        self.table.withEntry(id) { entry in
            entry.state = .condemned
            entry.death = (rejection, entry.death?.at ?? self.now.wall)
        }
        self.condemned[account, default: Fifo()].append(id)
        self.metrics.budgetRefused()
    }

    private func overrun(
        _ account: DeadLetterBudgets.Account,
        _ exhaustion: DeadLetterBudget.Exhaustion,
        until: Int64
    ) {
        self.logger.error(
            "dead-letter budget exhausted: records with this reason wait, and nothing is lost",
            metadata: [
                "lane": "\(Self.shown(account.lane))", "reason": "\(account.reason)",
                "because": "\(exhaustion)",
                "seconds": "\(max(0, until - self.now.monotonic) / 1_000_000_000)",
                "remedy": "look at the dead letters; budget.dead_letters and budget.percent raise the budget",
            ]
        )
    }

    var condemnedCount: Int { self.condemned.values.reduce(0) { $0 + $1.count } }

    /// When a budget may have room again; nil if no record waits for one.
    var nextBudget: Int64? {
        self.condemned.keys.map { account in
            guard case .no(_, let until) = self.budgets.admits(account, at: self.now.monotonic) else {
                return self.now.monotonic
            }
            return until
        }.min()
    }

    /// Lets the condemned go, as far as the budgets reach.
    func buryCondemned() {
        guard !self.condemned.isEmpty else { return }
        for account in self.condemned.keys.sorted(by: { ($0.lane, $0.reason) < ($1.lane, $1.reason) }) {
            self.buryCondemned(of: account)
        }
    }

    private func buryCondemned(of account: DeadLetterBudgets.Account) {
        while let id = self.condemned[account]?.first {
            guard self.table.state(of: id) == .condemned, let death = self.table[id].death else {
                _ = self.condemned[account]?.popFirst()
                continue
            }
            guard case .yes = self.budgets.admits(account, at: self.now.monotonic) else { return }
            _ = self.condemned[account]?.popFirst()
            self.writeDeadLetter(id, death.rejection, from: account)
        }
        self.condemned[account] = nil
        self.logger.notice(
            "dead-letter budget has room again",
            metadata: ["lane": "\(Self.shown(account.lane))", "reason": "\(account.reason)"]
        )
    }
}
