import ServiceKit
import Synchronization

/// The limits of rate and memory that all requests share.
final class RequestLimits: Sendable {
    private struct Rates {
        var routes: [Route: Int64] = [:]
        var clients: ClientRates
    }

    private let routeRate: RequestRate
    private let rates: Mutex<Rates>
    private let bytesLimit: Int
    private let bytes = Atomic(0)

    init(_ settings: GatewaySettings) {
        self.routeRate = RequestRate(perSecond: settings.rate)
        self.bytesLimit = settings.bytesInHandLimit
        let clients = ClientRates(
            RequestRate(perSecond: settings.clientRate),
            limit: settings.clientsLimit
        )
        self.rates = Mutex(Rates(clients: clients))
    }

    /// Takes one request.
    ///
    /// - Returns: nil if the request may pass; else the whole seconds until one may, at least 1.
    func take(_ route: Route, of client: ClientAddress, at now: Moment = .now) -> Int64? {
        let wait = self.rates.withLock { rates -> Int64? in
            // A client that is refused for its own rate takes nothing of the rate of its route.
            if route != .clicks, let wait = rates.clients.take(client.network, at: now.monotonic) {
                return wait
            }
            return self.routeRate.take(&rates.routes[route, default: 0], at: now.monotonic)
        }
        return wait.map { max(1, ($0 + 999_999_999) / 1_000_000_000) }
    }

    /// The bytes of bodies that are in hand.
    var bytesInHand: Int { self.bytes.load(ordering: .relaxed) }

    /// Counts bytes of a body as in hand. They must be released once the request is answered.
    ///
    /// - Returns: false, without counting them, if they would be too many.
    func hold(_ count: Int) -> Bool {
        let held = self.bytes.add(count, ordering: .relaxed).newValue
        guard held > self.bytesLimit else { return true }
        self.release(count)
        return false
    }

    /// Gives back bytes that `hold` has counted.
    func release(_ count: Int) { self.bytes.subtract(count, ordering: .relaxed) }
}
