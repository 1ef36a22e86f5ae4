import WireFormats

/// How one endpoint of the upstream is, and who waits for it.
struct EndpointState: Sendable {
    let identity: UpstreamEndpoint
    var breaker: CircuitBreaker
    var evidence = BlameEvidence()
    /// This worker's share of the endpoint's rate; nil before the first assignment, or without a limit.
    var rate: RateLimit?
    /// Calls of records in hand that are out.
    var callsInFlight = 0
    /// Whether the last call that came back took no longer than a second.
    var isQuick = false
    /// Records whose calls may not be made now.
    var blocked = ReadyRecords()

    init(_ identity: UpstreamEndpoint, _ breaker: CircuitBreaker.Settings) {
        self.identity = identity
        self.breaker = CircuitBreaker(breaker)
    }

    func admits(at now: Int64) -> Bool {
        switch self.breaker.admission(at: now) {
        case .yes, .probe: self.isWithinRate(at: now)
        case .notBefore, .waitForProbe: false
        }
    }

    func isWithinRate(at now: Int64) -> Bool { self.rate.map { $0.admission(at: now) == .yes } ?? true }

    /// When a call that may not be made now may be; nil if calls may be made, or if only an event can tell.
    func nextAdmission(at now: Int64) -> Int64? {
        switch (self.breaker.admission(at: now), self.rate?.admission(at: now)) {
        case (.waitForProbe(let until), _): until
        case (.notBefore(let until), .notBefore(let due)): max(until, due)
        case (.notBefore(let until), _), (_, .notBefore(let until)): until
        case (.yes, _), (.probe, _): nil
        }
    }

    /// This worker has so large a part of the fleet's work from now on, from 0 to 1.
    mutating func shareChanged(to share: Double, at now: Int64) {
        if self.rate == nil, let settings = self.identity.rate {
            self.rate = RateLimit(settings, share: share, at: now)
        } else {
            self.rate?.shareChanged(to: share, at: now)
        }
    }
}

extension [EndpointState] {
    /// Whether there is one that may be called now.
    func admitSome(at now: Int64) -> Bool { self.contains { $0.admits(at: now) } }

    /// The next time that a call may be made to one of these that may not be called now; nil if only an event can tell.
    func nextAdmission(at now: Int64, where isOfInterest: (EndpointState) -> Bool) -> Int64? {
        self.lazy.filter(isOfInterest).compactMap { $0.nextAdmission(at: now) }.min()
    }

    func areAllWell(at now: Int64) -> Bool { self.allSatisfy { $0.breaker.isWell(at: now) } }

    var areAllClosed: Bool { self.allSatisfy { $0.breaker.state == .closed } }

    var blockedCount: Int { self.reduce(0) { $0 + $1.blocked.count } }

    var haveBlocked: Bool { self.contains { !$0.blocked.isEmpty } }
}
