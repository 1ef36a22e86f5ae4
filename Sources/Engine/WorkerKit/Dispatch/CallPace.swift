import ServiceKit
import UpstreamHTTP

/// The pace of all calls of a worker: how many may be in flight at once, and how many may begin in a second.
///
/// All times are monotonic nanoseconds.
struct CallPace: Sendable {
    /// The largest number of calls in flight at once.
    var concurrency: Int { min(self.slots, self.chosenConcurrency ?? self.slots) }
    /// The largest number of calls in flight by the settings.
    private let slots: Int
    /// The largest number of calls in flight that an operator has chosen; nil for that of the settings.
    var chosenConcurrency: Int?
    private let kind: EngineSettings.Pace
    /// The rate of the whole fleet by the settings; nil if they have none.
    private let settingsRate: RateLimit.Settings?
    /// The rate of the whole fleet that holds, which an operator may have chosen; nil if there is no limit.
    private var fleetRate: RateLimit.Settings?
    /// This worker's part of the partitions; nil before the first assignment.
    private var share: Double?
    /// This worker's share of the rate of the whole fleet; nil before the first assignment, or if there is no
    /// limit.
    private(set) var rate: RateLimit?
    private var adaptiveLimit: ConcurrencyLimit
    /// The results of first and second calls, which show whether failures tell of the load.
    private var evidence = RetryEvidence()

    /// Whether calls go to several endpoints.
    private let isOfSeveral: Bool

    /// - Parameter endpoints: The number of endpoints. With several of them, the adaptive limit leaves two slots for each, so
    ///   that one slow call does not stop the others.
    init(_ settings: EngineSettings, endpoints: Int) {
        self.isOfSeveral = endpoints > 1
        let least = endpoints > 1 ? min(settings.concurrency, 2 * endpoints) : 1
        self.slots = settings.concurrency
        self.kind = settings.pace
        self.settingsRate = settings.rate
        self.fleetRate = settings.rate
        self.adaptiveLimit = ConcurrencyLimit(
            ConcurrencyLimit.Settings(
                minimum: max(settings.leastConcurrency, least),
                maximum: settings.concurrency
            )
        )
    }

    /// Whether the fleet has a rate of which this worker takes a share.
    var isRateShared: Bool { self.fleetRate != nil }

    /// Returns the number of calls that may be in flight now.
    func callLimit(at now: Int64) -> Int {
        guard self.kind == .adaptive else { return self.concurrency }
        return min(self.concurrency, self.adaptiveLimit.current(at: now))
    }

    /// Returns the number that the adaptive limit would allow now; nil unless it is only shown.
    func shadowLimit(at now: Int64) -> Int? {
        self.kind == .shadow ? self.adaptiveLimit.current(at: now) : nil
    }

    /// Returns the time at which this worker's share of the rate allows the next call; nil if it allows one
    /// now.
    func nextByRate(at now: Int64) -> Int64? {
        guard case .notBefore(let until)? = self.rate?.admission(at: now) else { return nil }
        return until
    }

    /// Returns the time at which a dip of the adaptive limit ends and more calls may begin, even if no call comes back;
    /// nil if there is no dip.
    func dipEnd(at now: Int64) -> Int64? {
        self.kind == .adaptive ? self.adaptiveLimit.dipEnd(at: now) : nil
    }

    /// Limits the calls to a rate that an operator has chosen, or settings that were read again.
    ///
    /// - Parameter rate: Calls a second of the whole fleet; nil for the rate at the start, infinity for none.
    mutating func choose(rate: Double?, at now: Int64) {
        var chosen = self.settingsRate
        if let rate {
            // The burst and the answer to throttling are those of the settings.
            chosen = rate.isFinite ? chosen ?? RateLimit.Settings(rate: rate) : nil
            chosen?.rate = rate
        }
        guard chosen != self.fleetRate else { return }
        self.fleetRate = chosen
        guard let chosen else { return self.rate = nil }
        if self.rate == nil {
            if let share { self.shareChanged(to: share, at: now) }
        } else {
            self.rate?.rateChanged(to: chosen.rate, at: now)
        }
    }

    /// Notes a call that begins.
    ///
    /// - Parameter slotsTaken: The slots that calls in flight take, this call included.
    mutating func callStarted(slotsTaken: Int, at now: Int64) {
        self.rate?.take(at: now)
        if self.kind != .fixed { self.adaptiveLimit.started(inFlight: slotsTaken) }
    }

    /// Notes a call that has just ended.
    ///
    /// - Parameters:
    ///   - nanoseconds: The time since the call began.
    ///   - slotsTaken: The slots that calls in flight take, this call included.
    mutating func callCompleted(
        _ exchange: Exchange,
        of call: CallInFlight,
        nanoseconds: Int64,
        slotsTaken: Int,
        at now: Int64
    ) {
        // One endpoint that throttles says nothing of the others, and may throttle one client only.
        if !self.isOfSeveral { self.rate?.note(throttled: exchange.isThrottled, at: now) }
        guard self.kind != .fixed else { return }
        self.adaptiveLimit.completed(
            latency: nanoseconds,
            inFlight: slotsTaken,
            outcome: self.load(of: exchange, to: call, at: now),
            at: now
        )
    }

    /// Returns the outcome of a call as far as it concerns the load. Records that the upstream never answers well once
    /// kept the adaptive limit at its minimum, for all others too. A call that was cut short says nothing about the load,
    /// nor does a call for a record that is probably at fault itself, unless the answer speaks of the load.
    private mutating func load(
        of exchange: Exchange,
        to call: CallInFlight,
        at now: Int64
    ) -> ConcurrencyLimit.Outcome {
        let load = exchange.load
        guard load != .failed else { return .failed }
        self.evidence.note(failed: load == .overloaded, attempt: call.attempt, at: now)
        guard !call.isCut, !call.isFaulty || exchange.isThrottled else { return .failed }
        return load == .overloaded && self.evidence.blamesRecords(at: now) ? .failed : load
    }

    /// Notes this worker's part of the partitions of the whole fleet, from 0 to 1. Its part of the rate is as
    /// large.
    mutating func shareChanged(to share: Double, at now: Int64) {
        self.share = share
        if self.rate == nil, let settings = self.fleetRate {
            self.rate = RateLimit(settings, share: share, at: now)
        } else {
            self.rate?.shareChanged(to: share, at: now)
        }
    }
}

extension Exchange {
    /// Whether the upstream answered that it is called too often.
    var isThrottled: Bool { self.status == 429 }

    /// The outcome of the call as far as it concerns the upstream's load.
    var load: ConcurrencyLimit.Outcome {
        switch self {
        case .response(let response):
            response.status == 429 || response.status >= 500 ? .overloaded : .answered
        case .failure(let error), .ambiguous(let error): error.kind == .timeout ? .overloaded : .failed
        }
    }
}
