/// A dead-letter budget for each lane and reason, so that the bad records of one client stop no other
/// client's.
///
/// A record that would exceed its budget waits, and all others go on.
package struct DeadLetterBudgets: Sendable {
    /// The budget that a dead letter counts against, by lane and reason.
    package struct Account: Hashable, Sendable {
        /// The lane of the record's last call; empty for a record for which no call was made.
        package var lane: String
        /// The code of the reason.
        package var reason: String

        package init(lane: String, reason: String) {
            self.lane = lane
            self.reason = reason
        }

        /// The account that all lanes and reasons beyond `limit` share.
        static let others = Account(lane: "", reason: "others")
    }

    /// The number of accounts that are kept apart. Lanes and reasons are our own words, but a reason can
    /// contain an upstream's code, so their number needs a bound.
    package static let limit = 256

    private let settings: DeadLetterBudget.Settings
    private var budgets: [Account: DeadLetterBudget] = [:]

    /// Makes budgets that all have the same settings.
    package init(_ settings: DeadLetterBudget.Settings) { self.settings = settings }

    /// Returns the account that a dead letter of this lane and reason counts against.
    package func account(lane: String, reason: String) -> Account {
        let account = Account(lane: lane, reason: reason)
        return self.budgets[account] != nil || self.budgets.count < Self.limit ? account : .others
    }

    /// Counts a settled record that is not a dead letter, in every account.
    package mutating func noteSettled(at now: Int64) {
        guard !self.budgets.isEmpty else { return }
        for account in self.budgets.keys { self.budgets[account]?.noteSettled(isDeadLetter: false, at: now) }
    }

    /// Counts a dead letter in its own account, and as a settled record in all others.
    package mutating func noteDeadLetter(of account: Account, at now: Int64) {
        for other in self.budgets.keys where other != account {
            self.budgets[other]?.noteSettled(isDeadLetter: false, at: now)
        }
        self.budgets[account, default: DeadLetterBudget(self.settings)].noteSettled(
            isDeadLetter: true,
            at: now
        )
    }

    /// Returns whether one more dead letter of this account may be written now.
    package func admits(_ account: Account, at now: Int64) -> DeadLetterBudget.Admission {
        self.budgets[account]?.admits(at: now) ?? .yes
    }

    /// Drops the accounts that had no dead letter within their window.
    package mutating func forgetIdle(at now: Int64) {
        guard !self.budgets.isEmpty else { return }
        self.budgets = self.budgets.filter { $0.value.hasLetters(at: now) }
    }
}
