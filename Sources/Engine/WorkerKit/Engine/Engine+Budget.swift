import Logging
import ServiceKit
import WireFormats

// The dead-letter budgets: if too many records of a lane are about to become dead letters for one reason,
// they wait instead.
//
// A record for whose dead letter the budget has no room stays in hand in the state `condemned`. Records of
// other lanes and reasons go on. When the budget has room again, the condemned records go before later ones
// of their account.
extension Engine {
    /// Returns whether a dead letter may be written now. If not, the record waits for the budget in the state
    /// `condemned`.
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

    /// Returns the account that a dead letter of this record counts against.
    func account(of id: EntryID, _ rejection: Rejection) -> DeadLetterBudgets.Account {
        self.budgets.account(lane: self.table[id].lastLane ?? "", reason: rejection.reason.code)
    }

    private func condemn(_ id: EntryID, _ rejection: Rejection, in account: DeadLetterBudgets.Account) {
        self.table.move(id, to: .condemned(rejection))
        self.condemned[account, default: Fifo()].append(id)
        self.metrics.budgetRefused()
    }

    /// Reports an exhausted budget. The log gets this only for the first record that has to wait for it.
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

    /// The earliest monotonic time at which a budget may have room again; nil if no record waits for one.
    var nextBudget: Int64? {
        self.condemned.keys.map { account in
            guard case .no(_, let until) = self.budgets.admits(account, at: self.now.monotonic) else {
                return self.now.monotonic
            }
            return until
        }.min()
    }

    /// Writes the dead letters of condemned records, as many as the budgets have room for.
    func buryCondemned() {
        guard !self.condemned.isEmpty else { return }
        for account in self.condemned.keys.sorted(by: { ($0.lane, $0.reason) < ($1.lane, $1.reason) }) {
            self.buryCondemned(of: account)
        }
    }

    private func buryCondemned(of account: DeadLetterBudgets.Account) {
        while let id = self.condemned[account]?.first {
            guard self.table.isCurrent(id), case .condemned(let rejection) = self.table[id].state else {
                _ = self.condemned[account]?.popFirst()
                continue
            }
            guard case .yes = self.budgets.admits(account, at: self.now.monotonic) else { return }
            _ = self.condemned[account]?.popFirst()
            self.writeDeadLetter(id, rejection, from: account)
        }
        self.condemned[account] = nil
        self.logger.notice(
            "dead-letter budget has room again",
            metadata: ["lane": "\(Self.shown(account.lane))", "reason": "\(account.reason)"]
        )
    }
}
