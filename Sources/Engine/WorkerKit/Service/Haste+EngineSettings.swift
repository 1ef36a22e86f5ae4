package import ServiceKit

extension Haste {
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
