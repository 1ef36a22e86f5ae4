/// A dead-letter budget for each lane and reason, so that one client's bad records stop nobody else's.
///
/// What exceeds its budget waits, and everything else goes on.
package struct DeadLetterBudgets: Sendable {
    /// Whose budget a dead letter is taken from.
    package struct Account: Hashable, Sendable {
        /// Empty for a record that was never called for.
        package var lane: String
        /// The code of the reason.
        package var reason: String

        package init(lane: String, reason: String) {
            self.lane = lane
            self.reason = reason
        }

        /// All beyond `limit` share this one.
        static let others = Account(lane: "", reason: "others")
    }

    /// Accounts that are kept apart. Lanes and reasons are our own words, but a reason can hold an upstream's code.
    package static let limit = 256

    private let settings: DeadLetterBudget.Settings
    private var budgets: [Account: DeadLetterBudget] = [:]

    package init(_ settings: DeadLetterBudget.Settings) { self.settings = settings }

    /// The account that a dead letter of this lane and reason is taken from.
    package func account(lane: String, reason: String) -> Account {
        let account = Account(lane: lane, reason: reason)
        return self.budgets[account] != nil || self.budgets.count < Self.limit ? account : .others
    }

    /// The broker has everything there is to say about a record that is no dead letter.
    package mutating func noteSettled(at now: Int64) {
        guard !self.budgets.isEmpty else { return }
        for account in self.budgets.keys { self.budgets[account]?.noteSettled(isDeadLetter: false, at: now) }
    }

    package mutating func noteDeadLetter(of account: Account, at now: Int64) {
        for other in self.budgets.keys where other != account {
            self.budgets[other]?.noteSettled(isDeadLetter: false, at: now)
        }
        self.budgets[account, default: DeadLetterBudget(self.settings)].noteSettled(
            isDeadLetter: true,
            at: now
        )
    }

    /// Whether one more dead letter of this account may be written now.
    package func admits(_ account: Account, at now: Int64) -> DeadLetterBudget.Admission {
        self.budgets[account]?.admits(at: now) ?? .yes
    }

    /// Forgets the accounts that have had no dead letter within their window.
    package mutating func forgetIdle(at now: Int64) {
        guard !self.budgets.isEmpty else { return }
        self.budgets = self.budgets.filter { $0.value.hasLetters(at: now) }
    }
}
