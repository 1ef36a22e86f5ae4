import WorkerKit

/// Counts the dead letters of one worker against the budget of their lane and reason, where each is sent as soon as it is
/// decided.
struct LetterJudge {
    private let limit: Int
    private let window: Int64
    /// The letters that this assignment has sent, be it more than once.
    private var known: Set<String> = []
    private var times: [String: [Int64]] = [:]

    init(_ settings: DeadLetterBudget.Settings) {
        self.limit = settings.letters
        // The budget's own window slides by a sixtieth of itself.
        self.window = settings.window.wholeNanoseconds / 60 * 59
    }

    mutating func startAnew() { self.known = [] }

    /// A letter of this id is sent.
    ///
    /// - Parameter account: its lane and its reason.
    /// - Returns: how many that makes in a window, if those are too many.
    mutating func sent(_ id: String, of account: String, at now: Int64) -> Int? {
        guard self.known.insert(id).inserted else { return nil }
        let times = (self.times[account] ?? []).filter { now - $0 < self.window } + [now]
        self.times[account] = times
        // The first of a window gets through whatever the limit is.
        return times.count > max(1, self.limit) ? times.count : nil
    }
}
