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
        case .closed: self.logger.notice("circuit breaker closed", metadata: self.metadata(of: endpoint))
        case .open: self.logger.error("circuit breaker open", metadata: self.metadata(of: endpoint))
        case .halfOpen: break
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
