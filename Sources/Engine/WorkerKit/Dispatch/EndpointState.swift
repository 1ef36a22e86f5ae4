import ServiceKit
import UpstreamHTTP
import WireFormats

/// The state of one endpoint of the upstream: its health, its rate, and what its calls have shown.
struct EndpointState: Sendable {
    let identity: UpstreamEndpoint
    private(set) var breaker: CircuitBreaker
    /// The results of first calls, which show whether a failure is the fault of the record or of the
    /// endpoint.
    private(set) var evidence = BlameEvidence()
    /// This worker's share of the endpoint's rate; nil before the first assignment, or if there is no limit.
    private(set) var rate: RateLimit?
    /// The monotonic time of the last call; nil before the first one.
    private var calledAt: Int64?
    private var times = CallTimes()
    /// How long calls usually take, and may take.
    private(set) var usual = UsualTime()
    /// Whether an operator has paused the calls to the endpoint.
    var isPaused = false

    init(_ identity: UpstreamEndpoint, _ breaker: CircuitBreaker.Settings) {
        self.identity = identity
        self.breaker = CircuitBreaker(breaker)
    }

    /// Returns whether calls take at most a second on average.
    func isQuick(at now: Int64) -> Bool { self.times.areShort(at: now) }

    /// Returns whether the breaker is closed and has been for a while, and calls are answered.
    func isWell(at now: Int64) -> Bool { self.breaker.isWell(at: now) && !self.usual.isInDoubt(at: now) }

    /// The time from which `isQuick` can be true; nil before the first call.
    var isQuickFrom: Int64? { self.times.judgedFrom }

    /// The time ten seconds after the last call; nil before the first one.
    var isForgottenFrom: Int64? { self.calledAt?.addingClamped(Duration.seconds(10).wholeNanoseconds) }

    /// Returns whether the endpoint was called in the last ten seconds.
    func wasCalledLately(at now: Int64) -> Bool { self.isForgottenFrom.map { now < $0 } ?? false }

    /// Returns whether an operator, the breaker and the rate allow a call now.
    func admits(at now: Int64) -> Bool {
        guard !self.isPaused else { return false }
        return switch self.breaker.admission(at: now) {
        case .yes, .probe: self.isWithinRate(at: now)
        case .notBefore, .waitForProbe: false
        }
    }

    func isWithinRate(at now: Int64) -> Bool { self.rate.map { $0.admission(at: now) == .yes } ?? true }

    /// Returns the monotonic time at which the breaker and the rate may allow a call again; nil if they allow
    /// one now. While enough probes are in flight, a probe that ends may allow a call earlier. For an endpoint that is
    /// paused, no time is known.
    func nextAdmission(at now: Int64) -> Int64? {
        guard !self.isPaused else { return .max }
        return switch (self.breaker.admission(at: now), self.rate?.admission(at: now)) {
        case (.waitForProbe(let until), _): until
        case (.notBefore(let until), .notBefore(let due)): max(until, due)
        case (.notBefore(let until), _), (_, .notBefore(let until)): until
        case (.yes, _), (.probe, _): nil
        }
    }

    /// Returns a time before which no call that is out now is overdue; nil if none is out.
    func nextOverdue(at now: Int64) -> Int64? {
        self.times.oldest?.addingClamped(self.usual.patience(at: now))
    }

    /// Notes that calls were cut short.
    mutating func callsCut(at now: Int64) { self.usual.cut(at: now) }

    /// Notes a call that this worker has cut short. For the blame of later failures it is a failed call: if many hang, it
    /// may be the endpoint's fault.
    mutating func cutEnded(_ call: CallInFlight, at now: Int64) {
        if call.isFirstThere { self.evidence.note(failed: true, at: now) }
    }

    /// Ends the pause of an open breaker, so that the next call is a probe.
    mutating func probeNow(at now: Int64) { self.breaker.probeNow(at: now) }

    mutating func callStarted(_ call: UInt64, at now: Int64) {
        self.breaker.callStarted(call, at: now)
        self.calledAt = now
        self.times.began(at: now)
        self.rate?.take(at: now)
    }

    mutating func callCompleted(_ call: CallInFlight, _ exchange: Exchange, at now: Int64) {
        let nanoseconds = now - call.began
        self.times.took(nanoseconds)
        if call.followsCut {
            self.usual.secondCallEnded(isAnswered: exchange.load == .answered, after: nanoseconds)
        }
        // A refusal may come far sooner than an answer that takes work.
        if let status = exchange.status, (200...299).contains(status) {
            self.usual.answered(after: nanoseconds, at: now)
        }
        self.rate?.note(throttled: exchange.isThrottled, at: now)
    }

    mutating func answered(_ call: CallInFlight, at now: Int64) {
        if call.isFirstThere { self.evidence.note(failed: false, at: now) }
        self.breaker.answered(call.number, isOutlier: call.isOutlier, at: now)
    }

    mutating func failed(_ call: CallInFlight, at now: Int64, using random: inout SplitMix64) {
        if call.isFirstThere { self.evidence.note(failed: true, at: now) }
        self.breaker.failed(call.number, isOutlier: call.isOutlier, at: now, using: &random)
    }

    /// Notes that the endpoint asked everybody to wait until this time.
    ///
    /// - Returns: The state of the breaker until now.
    mutating func gated(until: Int64, at now: Int64) -> CircuitBreaker.State {
        let was = self.breaker.state
        _ = self.breaker.gate(until: until, at: now)
        return was
    }

    mutating func callEnded(_ call: CallInFlight) {
        self.breaker.callEnded(call.number)
        self.times.ended(began: call.began)
    }

    mutating func callOrphaned(_ call: CallInFlight) { self.breaker.callEnded(call.number) }

    mutating func orphanEnded(_ call: OrphanedCall, wasTried: Bool, at now: Int64) {
        if wasTried { self.times.took(now - call.began) }
        self.times.ended(began: call.began)
    }

    /// Notes this worker's part of the partitions of the whole fleet, from 0 to 1. Its part of the endpoint's
    /// rate is as large.
    mutating func shareChanged(to share: Double, at now: Int64) {
        if self.rate == nil, let settings = self.identity.rate {
            self.rate = RateLimit(settings, share: share, at: now)
        } else {
            self.rate?.shareChanged(to: share, at: now)
        }
    }
}

extension [EndpointState] {
    // Two questions are asked for every record. They go over indices, because an element that is handed to a closure
    // is a copy.

    /// Returns whether some endpoint may be called now.
    func admitSome(at now: Int64) -> Bool { self.indices.contains { self[$0].admits(at: now) } }

    /// Returns the earliest monotonic time at which one of these endpoints that may not be called now may be
    /// called; nil if every one of them may be called now.
    ///
    /// - Parameter isOfInterest: Whether the endpoint with this index counts.
    func nextAdmission(at now: Int64, where isOfInterest: (Int) -> Bool) -> Int64? {
        self.indices.lazy.filter(isOfInterest).compactMap { self[$0].nextAdmission(at: now) }.min()
    }

    /// Returns whether every endpoint is well.
    func areAllWell(at now: Int64) -> Bool { self.indices.allSatisfy { self[$0].isWell(at: now) } }

    var areAllClosed: Bool { self.allSatisfy { $0.breaker.state == .closed } }
}
