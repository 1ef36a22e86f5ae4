import ServiceKit

/// Finds a worker that stands still without saying so: it has records to read or to settle, does neither for
/// a while, and reports that it is ready.
struct SilenceJudge {
    /// The longest time without progress after which a worker must report a reason.
    static let limit = Duration.seconds(30)
    /// The time added to the limit: a worker checks itself only once a second, and so does this judge.
    private static let grace = Duration.seconds(3)

    /// The longest wait of a record in a retry topic. The broker hands such a record over, and the worker takes it in when
    /// its wait is over: that is progress which this judge does not see.
    private let longestWait: Duration
    private var progress = 0
    /// The time since which the worker has had work and made no progress; nil if it has no work.
    private var standsSince: Int64?

    init(longestWait: Duration = .zero) { self.longestWait = longestWait }

    /// Looks at a worker. The simulation calls this about once a second.
    ///
    /// - Parameters:
    ///   - progress: the number of records that the worker has read and settled so far.
    ///   - hasLag: whether the worker has partitions with records that it has not read or not settled.
    ///   - unreadiness: the reason that the worker itself reports for not being ready.
    /// - Returns: the time for which the worker has stood still in silence, if that is too long; nil
    ///   otherwise. If the standstill goes on, it is reported again after as long a time.
    mutating func look(at now: Int64, progress: Int, hasLag: Bool, unreadiness: String?) -> Duration? {
        guard hasLag, progress == self.progress, unreadiness == nil, let since = self.standsSince else {
            // A worker that has reported a reason and is ready again gets the whole time anew.
            self.standsSince = hasLag ? now : nil
            self.progress = progress
            return nil
        }
        guard now - since > (Self.limit + Self.grace + self.longestWait).wholeNanoseconds else { return nil }
        self.standsSince = nil
        return .nanoseconds(now - since)
    }
}
