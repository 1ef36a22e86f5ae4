import ServiceKit

/// Stops calls to an upstream that does not answer, and probes it with a few calls until it does.
///
/// The breaker opens for one of three reasons: a run of consecutive failures and a second without an
/// answer, a share of failures among the calls of the last ten seconds, or a request of the upstream that
/// everybody waits (`gate`). While the breaker is open, records wait; no record is failed, dropped or
/// dead-lettered because of it. Calls that were in flight when the breaker opened come back for a while. They
/// tell about the time before, so their outcomes are ignored.
///
/// Half-open, the breaker lets a few probes out. Each success lets out two more and each failure one less,
/// until enough have succeeded to close the breaker. So an upstream that can take a probe but not the whole
/// load is loaded step by step. When probes fail and none succeeds, the breaker opens again for longer. The
/// caller chooses probes of different records, fresh ones first. (resilience4j lets ten probes out. With one
/// probe, as in Hystrix, a record that always fails keeps the breaker open for all.)
///
/// An outlier (Envoy's word) is a record that fails where others succeed. Its failure says nothing about the
/// upstream while other calls succeed.
///
/// All times are monotonic nanoseconds.
package struct CircuitBreaker: Sendable {
    /// The limits at which the breaker opens, and how long it stays open.
    package struct Settings: Hashable, Sendable {
        /// The number of failures in a row, without an answer between them and for a second, that opens the
        /// breaker.
        package var consecutiveFailures = 10
        /// The share of failed calls that opens the breaker, once there were `minimumCalls` calls. The share
        /// is high because an upstream that answers one call in four is still of use to the records that it
        /// answers.
        package var failureShare = 0.8
        /// The number of calls in the last ten seconds from which `failureShare` is judged. Soon after a closing it is up to
        /// eight times as many (`doublings`).
        package var minimumCalls = 50
        /// The bound of the first pause between opening and probing. The bound doubles after each pause in
        /// which no probe succeeded. The pause itself is drawn from the upper half of its bound.
        package var firstPause = Duration.seconds(1)
        /// The largest bound of a pause. A pause is also at most a quarter of the time since the last answer, or twice
        /// `firstPause` if that is more.
        package var longestPause = Duration.seconds(30)

        /// Makes the default settings.
        package init() {}
    }

    /// The states of a circuit breaker.
    package enum State: Hashable, Sendable {
        case closed
        case open(until: Int64)
        /// A few calls may be out as probes, to see whether the upstream answers.
        case halfOpen
    }

    /// The answer to the question whether a call may be made now.
    package enum Admission: Hashable, Sendable {
        case yes
        /// The call may be made, as one of the probes.
        case probe
        /// No call may be made before this monotonic time.
        case notBefore(Int64)
        /// Enough probes are out. A further one may be made when one of them is back, or at this monotonic
        /// time, when the oldest one that is still out is replaced.
        case waitForProbe(until: Int64)
    }

    /// The number of probes at the beginning of a half-open time. It is one if the upstream has asked to
    /// wait.
    package static let probes = 3
    /// The number of probes at which the breaker closes instead of letting out more.
    package static let probesLimit = 9
    /// How long a probe may be out before another one replaces it.
    package static let patience = Duration.seconds(10)
    /// How long after a successful call the failure of another call tells something about its record.
    package static let freshness = Duration.seconds(5)

    /// How long the upstream must have been silent before failures in a row open the breaker. Many records that
    /// always fail can come one after the other, while others are answered.
    package static let silence = Duration.seconds(1)

    /// How often the number of calls from which the share of failures is judged can double.
    ///
    /// It doubles with each opening soon after a closing. Many records that always fail can be called one after the other
    /// between calls that are answered. They would open the breaker again for every few dozen of them, and the others
    /// would wait all the time.
    package static let doublings = 3

    /// The counts of the current half-open time.
    private struct Probing: Sendable {
        var limit: Int
        /// The start of each probe that is out, by the number of its call.
        var out: [UInt64: Int64] = [:]
        var answered = 0
        var failed = 0
    }

    /// The current state. An open breaker becomes half-open when the first probe is started, not when its
    /// time has come.
    package private(set) var state = State.closed
    private let settings: Settings
    private var probing = Probing(limit: CircuitBreaker.probes)
    /// The number of the last call that was started.
    private var lastCall: UInt64 = 0
    /// The number of the last call that was started before the breaker opened. Outcomes of calls up to it are
    /// ignored.
    private var lastCallBeforeOpening: UInt64 = 0
    private var consecutiveFailures = 0
    /// The number of pauses in a row, the current one included, without an answered probe between them.
    private var pauses = 0
    /// The number of openings since the upstream was well, `doublings` at most.
    private var openings = 0
    /// Whether the upstream has asked everybody to wait.
    private var isGated = false
    private var lastAnswer: Int64 = .min
    /// The largest number of a call that was answered.
    package private(set) var lastAnsweredCall: UInt64 = 0
    private var lastClosed: Int64 = .min
    private var recent = RecentCalls()

    /// Makes a closed breaker.
    package init(_ settings: Settings) { self.settings = settings }

    /// Returns whether a call may be made now. The caller reports a call that it makes with `callStarted`.
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

    /// Ends the pause of an open breaker, so that the next call is a probe.
    package mutating func probeNow(at now: Int64) {
        if case .open(let until) = self.state { self.state = .open(until: min(until, now)) }
    }

    /// Returns whether the breaker is closed and did not close within the last `patience`.
    package func isWell(at now: Int64) -> Bool {
        self.state == .closed && now.subtractingClamped(self.lastClosed) >= Self.patience.wholeNanoseconds
    }

    /// Returns whether some call was answered within the last `freshness`. If so, the failure of another call
    /// tells something about its record.
    package func hasAnsweredLately(at now: Int64) -> Bool {
        now.subtractingClamped(self.lastAnswer) < Self.freshness.wholeNanoseconds
    }

    /// Returns whether a call that has failed failed alone: others were answered lately, and the call did not begin before
    /// the breaker opened.
    package func answersOthers(than call: UInt64, at now: Int64) -> Bool {
        call > self.lastCallBeforeOpening && self.hasAnsweredLately(at: now)
    }

    /// Notes that an admitted call is on its way. If the breaker is not closed, the call is a probe.
    ///
    /// - Parameter call: The number of the call. Later calls have larger numbers.
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

    /// Notes that a call has ended and that nothing more will be reported of it. A probe can end without an
    /// outcome, if its record was taken away; then another probe takes its place.
    package mutating func callEnded(_ call: UInt64) { self.probing.out[call] = nil }

    /// Notes that the upstream gave an answer, whatever it said.
    ///
    /// - Parameter isOutlier: Whether the record has failed before where others succeeded.
    package mutating func answered(_ call: UInt64, isOutlier: Bool = false, at now: Int64) {
        guard call > self.lastCallBeforeOpening else { return }
        self.consecutiveFailures = 0
        self.lastAnswer = now
        self.lastAnsweredCall = max(self.lastAnsweredCall, call)
        // Failures of outliers are not counted, so their successes must not be counted either.
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

    /// Notes that the upstream gave no answer, or an answer that counts as none.
    ///
    /// - Parameter isOutlier: Whether the record has failed before where others succeeded.
    package mutating func failed(
        _ call: UInt64,
        isOutlier: Bool = false,
        at now: Int64,
        using random: inout some RandomNumberGenerator
    ) {
        guard call > self.lastCallBeforeOpening else { return }
        switch self.state {
        case .open: break
        case .halfOpen:
            if isOutlier, self.hasAnsweredLately(at: now) { return self.probing.out[call] = nil }
            self.probeFailed(call, at: now, using: &random)
        case .closed:
            if isOutlier, self.hasAnsweredLately(at: now) { return }
            self.consecutiveFailures += 1
            self.recent.note(failed: true, at: now)
            guard self.shouldOpen(at: now) else { return }
            self.pauses = 0
            self.openings = min(self.isWell(at: now) ? 1 : self.openings + 1, Self.doublings)
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

    /// Opens the breaker because the upstream asked everybody to wait: no call before this time, and then a
    /// single probe.
    ///
    /// - Returns: Whether the breaker was closed until now.
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
        if self.consecutiveFailures >= self.settings.consecutiveFailures,
            now.subtractingClamped(self.lastAnswer) >= Self.silence.wholeNanoseconds
        {
            return true
        }
        let (calls, failures) = self.recent.counts(at: now)
        let doublings = self.isWell(at: now) ? 0 : self.openings
        return calls >= self.settings.minimumCalls << doublings
            && Double(failures) >= self.settings.failureShare * Double(calls)
    }

    /// Returns the largest bound of a pause that begins now: an upstream that has answered lately is asked again
    /// soon, because a few probes in a row may all have been for records that always fail.
    private func longestPause(at now: Int64) -> Duration {
        let silence = Duration.nanoseconds(now.subtractingClamped(self.lastAnswer))
        return min(self.settings.longestPause, max(self.settings.firstPause * 2, silence / 4))
    }

    private mutating func open(at now: Int64, using random: inout some RandomNumberGenerator) {
        self.pauses += 1
        let backoff = Backoff(base: self.settings.firstPause, longest: self.longestPause(at: now))
        let pause = backoff.delayAboveHalf(afterFailures: self.pauses, using: &random)
        self.state = .open(until: now.addingClamped(pause.wholeNanoseconds))
        self.lastCallBeforeOpening = self.lastCall
        self.consecutiveFailures = 0
    }
}
