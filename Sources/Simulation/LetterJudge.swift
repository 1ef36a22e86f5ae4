import WorkerKit

/// Counts the dead letters of one worker against its budget, where each is sent as soon as it is decided.
struct LetterJudge {
    private let limit: Int
    private let window: Int64
    /// The letters that this assignment has sent, be it more than once.
    private var known: Set<String> = []
    private var times: [Int64] = []

    init(_ settings: DeadLetterBudget.Settings) {
        self.limit = settings.letters
        // The budget's own window slides by a sixtieth of itself.
        self.window = settings.window.wholeNanoseconds / 60 * 59
    }

    mutating func startAnew() { self.known = [] }

    /// A letter of this id is sent.
    ///
    /// - Returns: how many that makes in a window, if those are too many.
    mutating func sent(_ id: String, at now: Int64) -> Int? {
        guard self.known.insert(id).inserted else { return nil }
        self.times.removeAll { now - $0 >= self.window }
        self.times.append(now)
        // The first of a window gets through whatever the limit is.
        return self.times.count > max(1, self.limit) ? self.times.count : nil
    }
}
