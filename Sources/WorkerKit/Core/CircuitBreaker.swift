/// Stops calling an upstream that does not answer, and probes it with one call at a time until it does.
///
/// It opens on a run of failures, or on a share of failures among the calls of the last ten seconds, or because
/// the upstream asks everybody to wait. While it is open, records wait: nothing is failed, dropped or
/// dead-lettered because of it. Only the answer to a probe closes it: calls that were out already when it opened
/// come back for a while, and tell of a time that is over.
package struct CircuitBreaker: Sendable {
    package struct Settings: Hashable, Sendable {
        /// Failures without an answer between them that open the breaker.
        package var consecutiveFailures = 10
        /// Share of failed calls that opens it, once there were `minimumCalls` of them.
        package var failureShare = 0.5
        package var minimumCalls = 50
        /// How long it stays open before it probes: doubles with each probe that fails and with each relapse,
        /// with full jitter above half.
        package var firstPause = Duration.seconds(1)
        package var longestPause = Duration.seconds(30)

        package init() {}
    }

    package enum State: Hashable, Sendable {
        case closed
        case open(until: Int64)
        /// This call is out to see how the upstream is.
        case probing(call: UInt64)
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

    /// Opening again within this time of closing is a relapse: the upstream takes a probe, but not the load.
    package static let relapse = Duration.seconds(10)

    package private(set) var state = State.closed
    private let settings: Settings
    /// The number of the last call that was begun.
    private var lastCall: UInt64 = 0
    /// The last call that was begun before the breaker opened.
    private var lastCallBeforeOpening: UInt64 = 0
    private var consecutiveFailures = 0
    /// Pauses in a row that did not help.
    private var pauses = 0
    private var relapsesUntil: Int64 = .min
    private var recent = RecentCalls()

    package init(_ settings: Settings) { self.settings = settings }

    package func admission(at now: Int64) -> Admission {
        switch self.state {
        case .closed: .yes
        case .open(let until): now >= until ? .probe : .notBefore(until)
        case .probing: .waitForProbe
        }
    }

    /// A call that was admitted is on its way; if the breaker is open, it is the probe.
    ///
    /// - Parameter call: its number. Later calls have larger ones.
    package mutating func callStarted(_ call: UInt64) {
        self.lastCall = call
        if case .open = self.state { self.state = .probing(call: call) }
    }

    /// A call has ended and nothing more will be said of it. If it was the probe and has said nothing about the
    /// upstream, because its record was taken away, another is due.
    package mutating func callEnded(_ call: UInt64, at now: Int64) {
        if self.state == .probing(call: call) { self.state = .open(until: now) }
    }

    /// The upstream gave an answer, whatever it said.
    package mutating func answered(_ call: UInt64, at now: Int64) {
        guard call > self.lastCallBeforeOpening else { return }
        self.consecutiveFailures = 0
        self.recent.note(failed: false, at: now)
        guard self.state == .probing(call: call) else { return }
        self.state = .closed
        self.relapsesUntil = now.addingClamped(Self.relapse.wholeNanoseconds)
        self.recent = RecentCalls()
    }

    /// The upstream gave no answer, or none worth the name.
    package mutating func failed(
        _ call: UInt64,
        at now: Int64,
        using random: inout some RandomNumberGenerator
    ) {
        guard call > self.lastCallBeforeOpening else { return }
        self.consecutiveFailures += 1
        self.recent.note(failed: true, at: now)
        switch self.state {
        case .probing(call): self.open(at: now, using: &random)
        case .closed where self.shouldOpen(at: now):
            if now > self.relapsesUntil { self.pauses = 0 }
            self.open(at: now, using: &random)
        case .open, .probing, .closed: break
        }
    }

    /// The upstream asked everybody to wait: no call before then, and the first one after it is a probe.
    ///
    /// - Returns: whether calls were let through until now.
    package mutating func gate(until: Int64, at now: Int64) -> Bool {
        let was = self.state
        if was == .closed, now > self.relapsesUntil { self.pauses = 0 }
        if case .open(let earlier) = was {
            self.state = .open(until: max(earlier, until))
        } else {
            self.state = .open(until: until)
        }
        self.lastCallBeforeOpening = self.lastCall
        return was == .closed
    }

    private func shouldOpen(at now: Int64) -> Bool {
        if self.consecutiveFailures >= self.settings.consecutiveFailures { return true }
        let (calls, failures) = self.recent.counts(at: now)
        return calls >= self.settings.minimumCalls
            && Double(failures) >= self.settings.failureShare * Double(calls)
    }

    private mutating func open(at now: Int64, using random: inout some RandomNumberGenerator) {
        self.pauses += 1
        let backoff = Backoff(base: self.settings.firstPause, longest: self.settings.longestPause)
        let pause = backoff.delayAboveHalf(afterFailures: self.pauses, using: &random)
        self.state = .open(until: now.addingClamped(pause.wholeNanoseconds))
        self.lastCallBeforeOpening = self.lastCall
    }
}
