import ServiceKit
import WireFormats

/// The state of one endpoint of the upstream, with the records that wait for it.
struct EndpointState: Sendable {
    let identity: UpstreamEndpoint
    var breaker: CircuitBreaker
    /// The results of first calls, which show whether a failure is the fault of the record or of the
    /// endpoint.
    var evidence = BlameEvidence()
    /// This worker's share of the endpoint's rate; nil before the first assignment, or if there is no limit.
    var rate: RateLimit?
    /// The monotonic time of the last call; nil before the first one.
    var calledAt: Int64?
    /// Whether the last call that ended took at most a second.
    var isQuick = false
    /// Whether the last probe came from the ready queue, and not from `blocked`.
    var isTurnOfUnplanned = false
    /// The records whose calls to this endpoint may not be made now.
    var blocked = ReadyRecords()

    init(_ identity: UpstreamEndpoint, _ breaker: CircuitBreaker.Settings) {
        self.identity = identity
        self.breaker = CircuitBreaker(breaker)
    }

    /// Returns whether the endpoint was called in the last ten seconds.
    func wasCalledLately(at now: Int64) -> Bool {
        self.calledAt.map { now.subtractingClamped($0) < Duration.seconds(10).wholeNanoseconds } ?? false
    }

    /// Returns whether the breaker and the rate allow a call now.
    func admits(at now: Int64) -> Bool {
        switch self.breaker.admission(at: now) {
        case .yes, .probe: self.isWithinRate(at: now)
        case .notBefore, .waitForProbe: false
        }
    }

    func isWithinRate(at now: Int64) -> Bool { self.rate.map { $0.admission(at: now) == .yes } ?? true }

    /// Returns the monotonic time at which the breaker and the rate may allow a call again; nil if they allow
    /// one now. While enough probes are in flight, a probe that ends may allow a call earlier.
    func nextAdmission(at now: Int64) -> Int64? {
        switch (self.breaker.admission(at: now), self.rate?.admission(at: now)) {
        case (.waitForProbe(let until), _): until
        case (.notBefore(let until), .notBefore(let due)): max(until, due)
        case (.notBefore(let until), _), (_, .notBefore(let until)): until
        case (.yes, _), (.probe, _): nil
        }
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
    func nextAdmission(at now: Int64, where isOfInterest: (EndpointState) -> Bool) -> Int64? {
        self.lazy.filter(isOfInterest).compactMap { $0.nextAdmission(at: now) }.min()
    }

    /// Returns whether every breaker is closed, and has been for a while.
    func areAllWell(at now: Int64) -> Bool { self.indices.allSatisfy { self[$0].breaker.isWell(at: now) } }

    var areAllClosed: Bool { self.allSatisfy { $0.breaker.state == .closed } }

    var haveBlocked: Bool { self.contains { !$0.blocked.isEmpty } }
}
