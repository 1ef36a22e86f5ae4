import ServiceKit
import WireFormats

/// The records that are to become dead letters and wait until their budget has room, and the budgets.
///
/// A budget belongs to an account, which is a lane and a reason. If too many records of an account are about to
/// become dead letters, they wait here in the state `condemned`, and records of other accounts go on. When the
/// budget has room again, the records that wait go before later ones of their account.
///
/// All times are monotonic nanoseconds.
struct CondemnedRecords: Sendable {
    typealias Account = DeadLetterBudgets.Account

    /// The answer to the question whether a dead letter may be written.
    enum Answer: Hashable, Sendable {
        case yes
        /// The record waits. Others of its account waited already.
        case waitsBehindOthers
        /// The record waits, as the first of its account: the budget has no room before this time.
        case budgetExhausted(DeadLetterBudget.Exhaustion, until: Int64)
    }

    private var budgets: DeadLetterBudgets
    /// The records that wait, by account. An account without waiting records has no entry.
    private(set) var waiting: [Account: Fifo<EntryID>] = [:]

    init(_ settings: DeadLetterBudget.Settings) { self.budgets = DeadLetterBudgets(settings) }

    var isEmpty: Bool { self.waiting.isEmpty }

    /// The accounts with waiting records, in the order of their lanes and reasons.
    var accounts: [Account] {
        self.waiting.keys.sorted { ($0.lane, $0.reason) < ($1.lane, $1.reason) }
    }

    /// Returns the account that a dead letter of this lane and reason counts against.
    func account(lane: String, reason: String) -> Account { self.budgets.account(lane: lane, reason: reason) }

    /// Decides whether a dead letter may be written now. If not, its record waits.
    mutating func letterWanted(
        of id: EntryID,
        _ rejection: Rejection,
        against account: Account,
        in table: inout RecordTable,
        at now: Int64
    ) -> Answer {
        var answer = Answer.waitsBehindOthers
        if self.waiting[account] == nil {
            guard case .no(let exhaustion, let until) = self.budgets.admits(account, at: now) else {
                return .yes
            }
            answer = .budgetExhausted(exhaustion, until: until)
        }
        table.move(id, to: .condemned(rejection))
        self.waiting[account, default: Fifo()].append(id)
        return answer
    }

    /// Takes out the record of an account whose dead letter is written next. The account is forgotten when no
    /// record waits in it any more.
    ///
    /// - Returns: The record and its rejection; nil if the budget has no room, or no record waits.
    mutating func nextLetter(of account: Account, in table: inout RecordTable, at now: Int64)
        -> (id: EntryID, rejection: Rejection)?
    {
        while let id = self.waiting[account]?.first {
            guard table.isCurrent(id), case .condemned(let rejection) = table[id].state else {
                _ = self.waiting[account]?.popFirst()
                continue
            }
            guard case .yes = self.budgets.admits(account, at: now) else { return nil }
            _ = self.waiting[account]?.popFirst()
            return (id, rejection)
        }
        self.waiting[account] = nil
        return nil
    }

    /// Returns the earliest time at which a budget may have room again; nil if no record waits for one.
    func nextRoom(at now: Int64) -> Int64? {
        self.waiting.keys.map { account in
            guard case .no(_, let until) = self.budgets.admits(account, at: now) else { return now }
            return until
        }.min()
    }

    /// Removes records that wait in an account, because they go to the parking topic.
    mutating func remove(from account: Account, where isLeaving: (EntryID) -> Bool) {
        self.waiting[account]?.keep { !isLeaving($0) }
        if self.waiting[account]?.isEmpty == true { self.waiting[account] = nil }
    }

    /// Forgets all records, because none is in hand any more. The budgets stay.
    mutating func removeAll() { self.waiting = [:] }

    /// Counts a record that is settled without a dead letter.
    mutating func settled(at now: Int64) { self.budgets.noteSettled(at: now) }

    /// Counts a dead letter that is written.
    mutating func letterWritten(against account: Account, at now: Int64) {
        self.budgets.noteDeadLetter(of: account, at: now)
    }

    /// Drops the budgets of accounts that had no dead letter lately.
    mutating func forgetIdle(at now: Int64) { self.budgets.forgetIdle(at: now) }
}
