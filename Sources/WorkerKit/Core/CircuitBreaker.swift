/// Stops calling an upstream that does not answer, and probes it with one call at a time until it does.
///
/// It opens on a run of failures, or on a share of failures among the calls of the last ten seconds. While it is
/// open, records wait: nothing is failed, dropped or dead-lettered because of it.
package struct CircuitBreaker: Sendable {
    package struct Settings: Hashable, Sendable {
        /// Failures without an answer between them that open the breaker.
        package var consecutiveFailures = 10
        /// Share of failed calls that opens it, once there were `minimumCalls` of them.
        package var failureShare = 0.5
        package var minimumCalls = 50
        /// How long it stays open before it probes: doubles with each probe that fails, with full jitter above
        /// half.
        package var firstPause = Duration.seconds(1)
        package var longestPause = Duration.seconds(30)

        package init() {}
    }

    package enum State: Hashable, Sendable {
        case closed
        case open(until: Int64)
        /// One call is out to see how the upstream is.
        case probing
    }

    /// Whether a call may be made now.
    package enum Admission: Hashable, Sendable {
        case yes
        /// One, and its outcome decides.
        case probe
        /// None before this monotonic time.
        case notBefore(Int64)
        /// None until the probe is back.
        case waitForProbe
    }

    package private(set) var state = State.closed
    private let settings: Settings
    private var consecutiveFailures = 0
    private var failedProbes = 0
    private var recent = RecentCalls()

    package init(_ settings: Settings) { self.settings = settings }

    package func admission(at now: Int64) -> Admission {
        switch self.state {
        case .closed: .yes
        case .open(let until): now >= until ? .probe : .notBefore(until)
        case .probing: .waitForProbe
        }
    }

    /// The call that `admission` allowed as a probe is on its way.
    package mutating func probeStarted() { self.state = .probing }

    /// The probe ended without saying anything about the upstream: its record was taken away.
    package mutating func probeAbandoned(at now: Int64) {
        if self.state == .probing { self.state = .open(until: now) }
    }

    /// The upstream gave an answer, whatever it said.
    package mutating func answered(at now: Int64) {
        self.consecutiveFailures = 0
        self.recent.note(failed: false, at: now)
        guard self.state != .closed else { return }
        self.state = .closed
        self.failedProbes = 0
        self.recent = RecentCalls()
    }

    /// The upstream gave no answer, or none worth the name.
    package mutating func failed(at now: Int64, using random: inout some RandomNumberGenerator) {
        self.consecutiveFailures += 1
        self.recent.note(failed: true, at: now)
        switch self.state {
        // Calls that were already out when it opened say nothing new.
        case .open: break
        case .probing:
            self.failedProbes += 1
            self.open(at: now, using: &random)
        case .closed where self.shouldOpen(at: now): self.open(at: now, using: &random)
        case .closed: break
        }
    }

    private func shouldOpen(at now: Int64) -> Bool {
        if self.consecutiveFailures >= self.settings.consecutiveFailures { return true }
        let (calls, failures) = self.recent.counts(at: now)
        return calls >= self.settings.minimumCalls
            && Double(failures) >= self.settings.failureShare * Double(calls)
    }

    private mutating func open(at now: Int64, using random: inout some RandomNumberGenerator) {
        let backoff = Backoff(base: self.settings.firstPause, longest: self.settings.longestPause)
        let bound = backoff.bound(afterFailures: self.failedProbes + 1).wholeNanoseconds
        let pause = Int64.random(in: bound / 2...max(bound / 2, bound), using: &random)
        self.state = .open(until: now.addingClamped(pause))
    }
}

/// Calls and failures of the last ten seconds, counted by the second.
private struct RecentCalls: Sendable {
    private static let span: Int64 = 10
    private var seconds = [(second: Int64, calls: Int, failures: Int)](
        repeating: (second: .min, calls: 0, failures: 0),
        count: Int(span)
    )

    mutating func note(failed: Bool, at now: Int64) {
        let second = now / 1_000_000_000
        let index = Int(second % Self.span)
        if self.seconds[index].second != second { self.seconds[index] = (second, 0, 0) }
        self.seconds[index].calls += 1
        if failed { self.seconds[index].failures += 1 }
    }

    func counts(at now: Int64) -> (calls: Int, failures: Int) {
        let oldest = now / 1_000_000_000 - Self.span
        return self.seconds.reduce(into: (0, 0)) { sum, entry in
            guard entry.second > oldest else { return }
            sum.0 += entry.calls
            sum.1 += entry.failures
        }
    }
}
