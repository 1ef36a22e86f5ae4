import ServiceKit
import WorkerKit

/// Counts the dead letters of one worker against the budget of their lane and reason. It is used where the
/// engine sends each letter as soon as it has decided on it.
struct LetterJudge {
    private let limit: Int
    private let window: Int64
    /// The ids of the letters that this assignment has sent, each perhaps more than once.
    private var known: Set<String> = []
    private var times: [String: [Int64]] = [:]

    init(_ settings: DeadLetterBudget.Settings) {
        self.limit = settings.letters
        // The budget's window moves in steps of a sixtieth, so this window is shorter by one step.
        self.window = settings.window.wholeNanoseconds / 60 * 59
    }

    mutating func startAnew() { self.known = [] }

    /// Notes that a letter is sent.
    ///
    /// - Parameter account: the letter's lane and reason.
    /// - Returns: the number of letters within a window, if that is too many; nil otherwise.
    mutating func sent(_ id: String, of account: String, at now: Int64) -> Int? {
        guard self.known.insert(id).inserted else { return nil }
        let times = (self.times[account] ?? []).filter { now - $0 < self.window } + [now]
        self.times[account] = times
        // The budget admits the first letter of a window even if its limit is 0.
        return times.count > max(1, self.limit) ? times.count : nil
    }
}
