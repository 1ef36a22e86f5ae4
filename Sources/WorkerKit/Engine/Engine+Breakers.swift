import Logging

// One circuit breaker for each endpoint, and who is told when it moves.
extension Engine {
    /// Lets something happen to the breaker of an endpoint, and tells if that has moved it.
    func moveBreaker(_ endpoint: Int, _ event: (inout CircuitBreaker) -> Void) {
        let was = self.endpoints[endpoint].breaker.state
        event(&self.endpoints[endpoint].breaker)
        if self.endpoints[endpoint].breaker.state != was { self.breakerMoved(endpoint) }
    }

    func breakerMoved(_ endpoint: Int) {
        self.count(breakerOf: endpoint)
        switch self.endpoints[endpoint].breaker.state {
        case .closed:
            self.logger.notice("circuit breaker closed", metadata: self.metadata(of: endpoint))
            self.endWaits(for: endpoint)
        case .open: self.logger.error("circuit breaker open", metadata: self.metadata(of: endpoint))
        case .halfOpen: break
        }
    }

    /// Whoever failed while the endpoint was in doubt goes again within a second, now that it is well: a probe of a long
    /// outage would wait out a backoff that is as long, for a fault that was not its own.
    private func endWaits(for endpoint: Int) {
        let waiting = self.backingOff.elements.filter { id, _ in
            self.table.state(of: id) == .backingOff && self.table[id].endpoint == endpoint
                && self.table[id].hasFailedInDoubt
        }
        guard !waiting.isEmpty else { return }
        let ids = Set(waiting.map(\.element))
        self.backingOff.keep { !ids.contains($0) }
        for (id, due) in waiting {
            let pause = Duration.milliseconds(Int.random(in: 0...1_000, using: &self.random))
            self.backingOff.add(id, due: min(due, self.now.after(pause)))
        }
    }

    func count(breakerOf endpoint: Int) {
        let state = self.endpoints[endpoint]
        self.metrics.breakerMoved(state.breaker.state, of: state.identity.name)
    }

    func metadata(of endpoint: Int) -> Logger.Metadata {
        let name = self.endpoints[endpoint].identity.name
        var metadata: Logger.Metadata = ["upstream": "\(self.settings.upstream)"]
        if !name.isEmpty { metadata["endpoint"] = "\(name)" }
        return metadata
    }
}
