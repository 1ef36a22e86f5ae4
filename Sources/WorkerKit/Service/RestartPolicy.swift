package import Terminal

/// Decides what follows the end of a supervised worker.
///
/// An end by a signal that was not passed on is a crash, and the worker starts again. An end with an exit code is the
/// worker's own decision, and is passed on.
package struct RestartPolicy: Hashable, Sendable {
    /// What the supervisor does next.
    package enum Step: Hashable, Sendable {
        case exit(code: Int32)
        /// Start again after a pause; so many restarts are left then.
        case restart(after: Duration, left: Int)
    }

    /// A worker that has lived for so long has left its earlier crashes behind.
    static let soundLife = Duration.seconds(600)
    private static let backoff = Backoff(base: .seconds(1), longest: .seconds(10))

    private let limit: Int
    private var used = 0

    /// - Parameter limit: restarts in a row.
    package init(limit: Int) { self.limit = limit }

    /// The worker has ended.
    ///
    /// - Parameters:
    ///   - life: how long it has lived.
    ///   - isStopping: whether it had been asked to stop.
    package mutating func ended(_ end: ProcessEnd, after life: Duration, isStopping: Bool) -> Step {
        guard case .signal = end, !isStopping else { return .exit(code: end.shellCode) }
        if life >= Self.soundLife { self.used = 0 }
        guard self.used < self.limit else { return .exit(code: end.shellCode) }
        self.used += 1
        return .restart(after: Self.backoff.bound(afterFailures: self.used), left: self.limit - self.used)
    }
}
