import Logging
import ServiceKit

// Each endpoint has a circuit breaker of its own. This file moves the breakers and reports their changes.
extension Engine {
    /// Lets an event change the breaker of an endpoint, and reports the change if the state is another one.
    func moveBreaker(_ endpoint: Int, _ event: (inout CircuitBreaker) -> Void) {
        let was = self.endpoints[endpoint].breaker.state
        event(&self.endpoints[endpoint].breaker)
        if self.endpoints[endpoint].breaker.state != was { self.breakerMoved(endpoint) }
    }

    /// Reports the new state of a breaker in the metrics and, unless it is half-open, in the log.
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

    /// Brings forward the next attempt of records that failed while the endpoint was in doubt: it comes
    /// within a second now that the breaker is closed. Otherwise a probe of a long outage would wait out a
    /// long backoff for a fault that was not its own.
    private func endWaits(for endpoint: Int) {
        let waiting = self.backingOff.elements.filter { id, _ in
            guard self.table.isCurrent(id), case .backingOff(_, .doubt) = self.table[id].state else {
                return false
            }
            return self.table[id].lastEndpoint == endpoint
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

    /// Returns the upstream and the endpoint as log metadata.
    func metadata(of endpoint: Int) -> Logger.Metadata {
        let name = self.endpoints[endpoint].identity.name
        var metadata: Logger.Metadata = ["upstream": "\(self.settings.upstream)"]
        if !name.isEmpty { metadata["endpoint"] = "\(name)" }
        return metadata
    }
}
