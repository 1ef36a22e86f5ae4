/// Stops calling an upstream that does not answer, and probes it with a few calls until it does.
///
/// The breaker opens on a run of failures, or on a share of failures among the calls of the last ten seconds, or
/// because the upstream asks everybody to wait. While it is open, records wait: nothing is failed, dropped or
/// dead-lettered because of it. Calls that were out already when it opened come back for a while; they tell of a time
/// that is over, and are left out.
///
/// Half open, it lets a few probes out. Each success lets out two more, each failure one less, until enough have
/// succeeded to close it: an upstream that takes a probe and not the load is loaded step by step. When probes fail and
/// none succeeds, it opens again for longer. The caller chooses probes of different records, fresh ones first
/// (resilience4j lets ten out; with one, as in Hystrix, a record that always fails keeps the breaker open for all).
///
/// A failure of an outlier (Envoy's word: a record that fails where others succeed) says nothing about the upstream
/// while others succeed.
package struct CircuitBreaker: Sendable {
    package struct Settings: Hashable, Sendable {
        /// Failures without an answer between them that open the breaker.
        package var consecutiveFailures = 10
        /// Share of failed calls that opens it, once there were `minimumCalls` of them. An upstream that answers one call
        /// in four is of use to those that it answers.
        package var failureShare = 0.8
        package var minimumCalls = 50
        /// How long it stays open before it probes: doubles each time that no probe succeeds, with full jitter
        /// above half.
        package var firstPause = Duration.seconds(1)
        package var longestPause = Duration.seconds(30)

        package init() {}
    }

    package enum State: Hashable, Sendable {
        case closed
        case open(until: Int64)
        /// A few calls may be out to see how the upstream is.
        case halfOpen
    }

    /// Whether a call may be made now.
    package enum Admission: Hashable, Sendable {
        case yes
        /// As one of the probes.
        case probe
        /// None before this monotonic time.
        case notBefore(Int64)
        /// Enough probes are out: none until one is back, or until this monotonic time, when one that is still out
        /// is replaced.
        case waitForProbe(until: Int64)
    }

    /// Probes at the beginning of a half-open time; one if the upstream has asked to wait.
    package static let probes = 3
    /// Probes that may be out when the breaker closes instead.
    package static let probesLimit = 9
    /// A probe that is out for longer is replaced.
    package static let patience = Duration.seconds(10)
    /// Where a call has succeeded within this time, the failure of another says something about its record.
    package static let freshness = Duration.seconds(5)

    /// What is known since the breaker is half open.
    private struct Probing: Sendable {
        var limit: Int
        /// When each probe that is out began.
        var out: [UInt64: Int64] = [:]
        var answered = 0
        var failed = 0
    }

    package private(set) var state = State.closed
    private let settings: Settings
    private var probing = Probing(limit: CircuitBreaker.probes)
    /// The number of the last call that was begun.
    private var lastCall: UInt64 = 0
    /// The last call that was begun before the breaker opened.
    private var lastCallBeforeOpening: UInt64 = 0
    private var consecutiveFailures = 0
    /// Pauses in a row that did not help.
    private var pauses = 0
    /// The upstream has asked everybody to wait.
    private var isGated = false
    private var lastAnswer: Int64 = .min
    private var lastClosed: Int64 = .min
    private var recent = RecentCalls()

    package init(_ settings: Settings) { self.settings = settings }

    package func admission(at now: Int64) -> Admission {
        switch self.state {
        case .closed: return .yes
        case .open(let until): return now >= until ? .probe : .notBefore(until)
        case .halfOpen:
            let patience = Self.patience.wholeNanoseconds
            let fresh = self.probing.out.values.filter { now.subtractingClamped($0) < patience }
            guard fresh.count >= self.probing.limit, let oldest = fresh.min() else { return .probe }
            return .waitForProbe(until: oldest.addingClamped(patience))
        }
    }

    /// Whether the upstream is well, and has not been in doubt lately.
    package func isWell(at now: Int64) -> Bool {
        self.state == .closed && now.subtractingClamped(self.lastClosed) >= Self.patience.wholeNanoseconds
    }

    /// Whether some call has been answered lately, so that the failure of another says something about its record.
    package func hasAnsweredLately(at now: Int64) -> Bool {
        now.subtractingClamped(self.lastAnswer) < Self.freshness.wholeNanoseconds
    }

    /// A call that was admitted is on its way; if the breaker is not closed, it is a probe.
    ///
    /// - Parameter call: its number. Later calls have larger ones.
    package mutating func callStarted(_ call: UInt64, at now: Int64) {
        self.lastCall = call
        switch self.state {
        case .closed: return
        case .open:
            self.state = .halfOpen
            self.probing = Probing(limit: self.isGated ? 1 : Self.probes)
            self.isGated = false
        case .halfOpen: break
        }
        self.probing.out[call] = now
    }

    /// A call has ended and nothing more will be said of it. If it was a probe and has said nothing about the
    /// upstream, because its record was taken away, another takes its place.
    package mutating func callEnded(_ call: UInt64) { self.probing.out[call] = nil }

    /// The upstream gave an answer, whatever it said.
    ///
    /// - Parameter isOutlier: whether the record has failed before where others succeeded.
    package mutating func answered(_ call: UInt64, isOutlier: Bool = false, at now: Int64) {
        guard call > self.lastCallBeforeOpening else { return }
        self.consecutiveFailures = 0
        self.lastAnswer = now
        // Failures of outliers are not counted, so their successes must not be either.
        if !isOutlier { self.recent.note(failed: false, at: now) }
        guard self.state == .halfOpen, self.probing.out.removeValue(forKey: call) != nil else { return }
        self.pauses = 0
        self.probing.answered += 1
        self.probing.limit += 2
        guard self.probing.limit >= Self.probesLimit else { return }
        self.state = .closed
        self.lastClosed = now
        self.recent = RecentCalls()
    }

    /// The upstream gave no answer, or none worth the name.
    ///
    /// - Parameter isOutlier: whether the record has failed before where others succeeded.
    package mutating func failed(
        _ call: UInt64,
        isOutlier: Bool = false,
        at now: Int64,
        using random: inout some RandomNumberGenerator
    ) {
        guard call > self.lastCallBeforeOpening else { return }
        switch self.state {
        case .open: break
        case .halfOpen: self.probeFailed(call, at: now, using: &random)
        case .closed:
            if isOutlier, self.hasAnsweredLately(at: now) { return }
            self.consecutiveFailures += 1
            self.recent.note(failed: true, at: now)
            guard self.shouldOpen(at: now) else { return }
            self.pauses = 0
            self.open(at: now, using: &random)
        }
    }

    private mutating func probeFailed(
        _ call: UInt64,
        at now: Int64,
        using random: inout some RandomNumberGenerator
    ) {
        guard self.probing.out.removeValue(forKey: call) != nil else { return }
        self.probing.failed += 1
        self.probing.limit = max(1, self.probing.limit - 1)
        let isHopeless =
            self.probing.answered == 0
            ? self.probing.failed >= Self.probes || self.probing.out.isEmpty
            : self.probing.failed >= self.settings.consecutiveFailures + 2 * self.probing.answered
        if isHopeless { self.open(at: now, using: &random) }
    }

    /// The upstream asked everybody to wait: no call before then, and the first one after it is a single probe.
    ///
    /// - Returns: whether calls were let through until now.
    package mutating func gate(until: Int64, at now: Int64) -> Bool {
        let was = self.state
        if was == .closed { self.pauses = 0 }
        if case .open(let earlier) = was {
            self.state = .open(until: max(earlier, until))
        } else {
            self.state = .open(until: until)
        }
        self.isGated = true
        self.probing = Probing(limit: 1)
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
        self.consecutiveFailures = 0
    }
}
