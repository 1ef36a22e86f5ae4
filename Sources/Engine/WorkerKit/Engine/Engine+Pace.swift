import ServiceKit
import UpstreamHTTP

// The pace of the calls: how many may be in flight at once, and how many may begin in a second.
extension Engine {
    /// The number of calls that may be in flight now.
    var callLimit: Int {
        guard self.settings.pace == .adaptive else { return self.settings.concurrency }
        return min(self.settings.concurrency, self.adaptiveLimit.current(at: self.now.monotonic))
    }

    /// The slots that calls in flight take. Calls that may share a request share a slot.
    var slotsTaken: Int {
        guard self.sharesSlots else { return self.table.callsInFlight }
        return self.endpoints.indices.reduce(self.table.orphanedCalls) { taken, endpoint in
            let share = self.callsPerSlot(of: endpoint)
            return taken + (self.table.calls(to: endpoint) + share - 1) / share
        }
    }

    func callsPerSlot(of endpoint: Int) -> Int { self.endpoints[endpoint].identity.callsPerSlot }

    /// The monotonic time at which a dip of the adaptive limit ends and slots are free again, even if no call
    /// comes back. Nil if a slot is free now, or only a returning call can free one.
    var nextByLimit: Int64? {
        guard self.settings.pace == .adaptive, self.slotsTaken >= self.callLimit else { return nil }
        return self.adaptiveLimit.dipEnd(at: self.now.monotonic)
    }

    /// The monotonic time at which this worker's share of the rate allows the next call; nil if it allows one
    /// now.
    var nextByRate: Int64? {
        guard case .notBefore(let until)? = self.rate?.admission(at: self.now.monotonic) else { return nil }
        return until
    }

    /// Notes a call that begins, for the rates and the adaptive limit.
    func callStartedAtPace(to endpoint: Int) {
        self.rate?.take(at: self.now.monotonic)
        self.endpoints[endpoint].rate?.take(at: self.now.monotonic)
        if self.settings.pace != .fixed {
            self.adaptiveLimit.started(inFlight: self.slotsTaken)
        }
    }

    /// Notes a call that has just ended and whose record is still `calling`, for the rates and the adaptive
    /// limit.
    ///
    /// - Parameter nanoseconds: The time since the call began.
    func callEndedAtPace(_ exchange: Exchange, at endpoint: Int, nanoseconds: Int64) {
        let isThrottled = exchange.status == 429
        self.rate?.note(throttled: isThrottled, at: self.now.monotonic)
        self.endpoints[endpoint].rate?.note(throttled: isThrottled, at: self.now.monotonic)
        guard self.settings.pace != .fixed else { return }
        self.adaptiveLimit.completed(
            latency: nanoseconds,
            inFlight: self.slotsTaken,
            outcome: exchange.load,
            at: self.now.monotonic
        )
    }

    /// Whether the fleet shares a rate. Then each worker needs the number of all partitions, which can grow.
    var sharesRate: Bool { self.settings.rate != nil || self.endpoints.contains { $0.identity.rate != nil } }

    /// Gives this worker its share of the fleet's rates. The share follows the partitions: a worker with a
    /// third of them makes a third of the calls.
    func shareRate() {
        let share = Double(self.assignments.count) / Double(max(1, self.consumedPartitions))
        if self.rate == nil, let settings = self.settings.rate {
            self.rate = RateLimit(settings, share: share, at: self.now.monotonic)
        } else {
            self.rate?.shareChanged(to: share, at: self.now.monotonic)
        }
        for index in self.endpoints.indices {
            self.endpoints[index].shareChanged(to: share, at: self.now.monotonic)
        }
    }
}

extension Exchange {
    /// The outcome of the call as far as it concerns the upstream's load.
    fileprivate var load: ConcurrencyLimit.Outcome {
        switch self {
        case .response(let response):
            response.status == 429 || response.status >= 500 ? .overloaded : .answered
        case .failure(let error), .ambiguous(let error): error.kind == .timeout ? .overloaded : .failed
        }
    }
}
