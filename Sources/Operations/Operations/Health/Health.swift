import Synchronization

/// The health of a worker: whether its engine still runs, and whether it accepts work.
///
/// The engine writes it and the health server reads it. A `beat()` costs one reading of the clock and one
/// atomic store.
package final class Health: Sendable {
    /// Whether the worker accepts work, as `/readyz` reports it.
    package enum Readiness: Hashable, Sendable {
        /// The engine has not reported its readiness yet.
        case starting
        /// The worker accepts work.
        case ready
        /// The worker runs but accepts no work, for this reason.
        case notReady(reason: String)
        /// The worker is stopping. No other state follows this one.
        case draining
    }

    /// Whether the engine runs, as `/livez` reports it.
    package enum Liveness: Hashable, Sendable {
        /// The last beat is recent enough.
        case alive
        /// The last beat is too old, which the reason says.
        case stalled(reason: String)
    }

    private let longestSilence: Duration
    private let uptime: @Sendable () -> Duration
    private let notices: ServiceNotices?
    private let lastBeat: Atomic<Int64>
    private let current = Mutex(Readiness.starting)

    /// Starts with the first beat at the present time and the state `starting`.
    ///
    /// - Parameters:
    ///   - longestSilence: the longest time between two beats of a living engine.
    ///   - uptime: a clock that only goes forward; nil for the system's own.
    ///   - notices: the service manager that hears of every beat and every change of the readiness.
    package init(
        longestSilence: Duration = .seconds(30),
        uptime: (@Sendable () -> Duration)? = nil,
        notices: ServiceNotices? = nil
    ) {
        let start = ContinuousClock.now
        let uptime = uptime ?? { start.duration(to: .now) }
        self.longestSilence = longestSilence
        self.uptime = uptime
        self.notices = notices
        self.lastBeat = Atomic(Self.milliseconds(uptime()))
    }

    /// Notes that the engine runs. The engine calls this in every turn of its loop, even if it has nothing to
    /// do.
    package func beat() {
        let now = Self.milliseconds(self.uptime())
        self.lastBeat.store(now, ordering: .relaxed)
        self.notices?.turned(at: now)
    }

    /// Sets the readiness. After `draining` no other state is accepted, because a partition that is assigned
    /// late must not make the worker ready again.
    package func become(_ readiness: Readiness) {
        self.current.withLock {
            guard $0 != .draining, $0 != readiness else { return }
            $0 = readiness
            self.notices?.became(readiness)
        }
    }

    /// The readiness that was set last.
    package var readiness: Readiness {
        self.current.withLock { $0 }
    }

    /// Whether the last beat is within the longest silence.
    package var liveness: Liveness {
        let silence = Self.milliseconds(self.uptime()) - self.lastBeat.load(ordering: .relaxed)
        guard silence > Self.milliseconds(self.longestSilence) else { return .alive }
        return .stalled(reason: "no sign of the engine for \(silence / 1_000) s")
    }

    static func milliseconds(_ duration: Duration) -> Int64 {
        let (seconds, attoseconds) = duration.components
        return seconds * 1_000 + attoseconds / 1_000_000_000_000_000
    }
}
