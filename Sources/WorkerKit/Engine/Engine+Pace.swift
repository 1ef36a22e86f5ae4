import UpstreamHTTP

// How many calls at once, and how many a second.
extension Engine {
    /// Calls that may be in flight now.
    var callLimit: Int {
        guard self.settings.pace == .adaptive else { return self.settings.concurrency }
        return min(self.settings.concurrency, self.adaptiveLimit.current(at: self.now.monotonic))
    }

    /// When there are slots again though no call comes back; nil if there are some now, or if only that brings one.
    var nextByLimit: Int64? {
        guard self.settings.pace == .adaptive, self.callsInFlight + self.orphanedCalls >= self.callLimit
        else {
            return nil
        }
        return self.adaptiveLimit.dipEnd(at: self.now.monotonic)
    }

    /// When this worker's share of the rate allows the next call; nil if it does now.
    var nextByRate: Int64? {
        guard case .notBefore(let until)? = self.rate?.admission(at: self.now.monotonic) else { return nil }
        return until
    }

    func callStartedAtPace(to endpoint: Int) {
        self.rate?.take(at: self.now.monotonic)
        self.endpoints[endpoint].rate?.take(at: self.now.monotonic)
        if self.settings.pace != .fixed {
            self.adaptiveLimit.started(inFlight: self.callsInFlight + self.orphanedCalls)
        }
    }

    /// - Parameter nanoseconds: since the call began.
    func callEndedAtPace(_ exchange: Exchange, at endpoint: Int, nanoseconds: Int64) {
        let isThrottled = exchange.status == 429
        self.rate?.note(throttled: isThrottled, at: self.now.monotonic)
        self.endpoints[endpoint].rate?.note(throttled: isThrottled, at: self.now.monotonic)
        guard self.settings.pace != .fixed else { return }
        self.adaptiveLimit.completed(
            latency: nanoseconds,
            inFlight: self.callsInFlight + self.orphanedCalls + 1,
            outcome: exchange.load,
            at: self.now.monotonic
        )
    }

    /// Whether there is a rate for the fleet to share, and the number of all partitions matters, which can grow.
    var sharesRate: Bool { self.settings.rate != nil || self.endpoints.contains { $0.identity.rate != nil } }

    /// The rates of the fleet are shared by the share of partitions: who has a third of them makes a third of the calls.
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
    /// What it says of the upstream's load.
    fileprivate var load: ConcurrencyLimit.Outcome {
        switch self {
        case .response(let response):
            response.status == 429 || response.status >= 500 ? .overloaded : .answered
        case .failure(let error), .ambiguous(let error): error.kind == .timeout ? .overloaded : .failed
        }
    }
}
