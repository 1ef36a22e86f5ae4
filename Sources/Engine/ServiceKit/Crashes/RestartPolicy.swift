import Terminal

/// Decides what follows the end of a supervised worker.
///
/// An end by a signal is a crash, and the worker starts again, unless it was asked to stop. An end with an
/// exit code is the worker's own decision, and the code is passed on.
struct RestartPolicy: Hashable, Sendable {
    /// The next step of the supervisor.
    enum Step: Hashable, Sendable {
        case exit(code: Int32)
        /// The worker starts again after a pause. So many restarts are left then.
        case restart(after: Duration, left: Int)
    }

    /// The length of a run after which earlier crashes do not count any more.
    static let soundLife = Duration.seconds(600)
    private static let backoff = Backoff(base: .seconds(1), longest: .seconds(10))

    private let limit: Int
    private var used = 0

    /// - Parameter limit: The number of restarts in a row.
    init(limit: Int) { self.limit = limit }

    /// Decides what follows the end of a run.
    ///
    /// - Parameters:
    ///   - life: How long the worker ran.
    ///   - isStopping: Whether the worker had been asked to stop.
    mutating func ended(_ end: ProcessEnd, after life: Duration, isStopping: Bool) -> Step {
        guard case .signal = end, !isStopping else { return .exit(code: end.shellCode) }
        if life >= Self.soundLife { self.used = 0 }
        guard self.used < self.limit else { return .exit(code: end.shellCode) }
        self.used += 1
        return .restart(after: Self.backoff.bound(afterFailures: self.used), left: self.limit - self.used)
    }
}
