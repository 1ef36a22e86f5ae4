import Logging
import ServiceKit
import WireFormats

// The dead-letter budgets. `CondemnedRecords` decides which records wait for one; here the letters are written
// and the log tells of budgets that have no room.
extension Engine {
    /// Returns whether a dead letter may be written now. If not, the record waits for the budget in the state
    /// `condemned`.
    func affordsDeadLetter(_ id: EntryID, _ rejection: Rejection) -> Bool {
        let account = self.account(of: id, rejection)
        let answer = self.condemned.letterWanted(
            of: id,
            rejection,
            against: account,
            in: &self.table,
            at: self.now.monotonic
        )
        switch answer {
        case .yes: return true
        case .waitsBehindOthers: break
        case .budgetExhausted(let exhaustion, let until): self.overrun(account, exhaustion, until: until)
        }
        self.metrics.budgetRefused()
        return false
    }

    /// Returns the account that a dead letter of this record counts against.
    func account(of id: EntryID, _ rejection: Rejection) -> DeadLetterBudgets.Account {
        self.condemned.account(lane: self.table[id].lastLane ?? "", reason: rejection.reason.code)
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

    /// Writes the dead letters of condemned records, as many as the budgets have room for.
    func buryCondemned() {
        guard !self.condemned.isEmpty else { return }
        for account in self.condemned.accounts { self.buryCondemned(of: account) }
    }

    private func buryCondemned(of account: DeadLetterBudgets.Account) {
        while let (id, rejection) = self.condemned.nextLetter(
            of: account,
            in: &self.table,
            at: self.now.monotonic
        ) {
            self.writeDeadLetter(id, rejection, from: account)
        }
        guard self.condemned.waiting[account] == nil else { return }
        self.logger.notice(
            "dead-letter budget has room again",
            metadata: ["lane": "\(Self.shown(account.lane))", "reason": "\(account.reason)"]
        )
    }
}
