import Synchronization

/// What the worker says of itself: whether its engine still turns, and whether it takes work.
///
/// Shared by the engine, which writes, and the health server, which reads. `beat()` costs a clock and an atomic store.
package final class Health: Sendable {
    package enum Readiness: Hashable, Sendable {
        case starting
        case ready
        case notReady(reason: String)
        /// Stopping. Nothing comes after it.
        case draining
    }

    package enum Liveness: Hashable, Sendable {
        case alive
        case stalled(reason: String)
    }

    private let longestSilence: Duration
    private let uptime: @Sendable () -> Duration
    private let lastBeat: Atomic<Int64>
    private let current = Mutex(Readiness.starting)

    /// Alive while `beat()` was called within `longestSilence`; the wait for the first one starts now. `uptime` is any
    /// clock that only goes forward.
    package init(
        longestSilence: Duration = .seconds(30),
        uptime: (@Sendable () -> Duration)? = nil
    ) {
        let start = ContinuousClock.now
        let uptime = uptime ?? { start.duration(to: .now) }
        self.longestSilence = longestSilence
        self.uptime = uptime
        self.lastBeat = Atomic(Self.milliseconds(uptime()))
    }

    /// The engine is alive: called once in every turn of its loop, also while it has nothing to do.
    package func beat() {
        self.lastBeat.store(Self.milliseconds(self.uptime()), ordering: .relaxed)
    }

    /// Once draining, it stays draining: a partition that comes back late must not attract work.
    package func become(_ readiness: Readiness) {
        self.current.withLock {
            if $0 != .draining { $0 = readiness }
        }
    }

    package var readiness: Readiness {
        self.current.withLock { $0 }
    }

    package var liveness: Liveness {
        let silence = Self.milliseconds(self.uptime()) - self.lastBeat.load(ordering: .relaxed)
        guard silence > Self.milliseconds(self.longestSilence) else { return .alive }
        return .stalled(reason: "no sign of the engine for \(silence / 1_000) s")
    }

    private static func milliseconds(_ duration: Duration) -> Int64 {
        let (seconds, attoseconds) = duration.components
        return seconds * 1_000 + attoseconds / 1_000_000_000_000_000
    }
}
