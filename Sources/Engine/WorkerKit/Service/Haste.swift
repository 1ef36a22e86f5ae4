/// How soon a worker's results are of no use any more. It decides the defaults of some settings.
package enum Haste: Hashable, Sendable {
    /// The result is as good tomorrow.
    case ordinary
    /// The content of a record is good for seconds, and somebody waits for the result.
    case urgent

    /// How long a result waits for others that can be sent to the broker with it.
    package var linger: Duration {
        switch self {
        case .ordinary: .milliseconds(5)
        case .urgent: .zero
        }
    }

    /// Replaces the defaults of the engine by shorter waits and a shorter deadline, if the worker is urgent.
    package func apply(to settings: inout EngineSettings) {
        guard self == .urgent else { return }
        settings.backoff = Backoff(base: .milliseconds(200), longest: .seconds(2))
        settings.breaker.firstPause = .milliseconds(500)
        settings.breaker.longestPause = .seconds(2)
        settings.longestGate = .seconds(30)
        settings.deadline = .seconds(300)
    }
}
