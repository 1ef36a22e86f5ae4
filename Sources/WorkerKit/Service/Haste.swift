/// How soon a worker's results are of no use any more: what its settings are where nobody has set them.
package enum Haste: Hashable, Sendable {
    /// A result is as good tomorrow.
    case ordinary
    /// What a record carries is good for seconds, and somebody waits for the result.
    case urgent

    /// How long a result waits for company on its way to the broker.
    package var linger: Duration {
        switch self {
        case .ordinary: .milliseconds(5)
        case .urgent: .zero
        }
    }

    package func apply(to settings: inout EngineSettings) {
        guard self == .urgent else { return }
        settings.backoff = Backoff(base: .milliseconds(200), longest: .seconds(2))
        settings.breaker.firstPause = .milliseconds(500)
        settings.breaker.longestPause = .seconds(2)
        settings.longestGate = .seconds(30)
        settings.deadline = .seconds(300)
    }
}
