import ServiceKit
import Synchronization

/// The limits of rate and memory that all requests share.
final class RequestLimits: Sendable {
    private struct Rates {
        var routes: [Route: Int64] = [:]
        var clients: ClientRates
    }

    /// The bytes of bodies that have come and are not answered.
    private struct Hands {
        var bytes = 0
        /// The bytes of each client that has some.
        var clients: [ClientAddress: Int] = [:]
    }

    private let routeRate: RequestRate
    private let rates: Mutex<Rates>
    private let bytesLimit: Int
    private let clientBytesLimit: Int
    private let hands = Mutex(Hands())

    init(_ settings: GatewaySettings) {
        self.routeRate = RequestRate(perSecond: settings.rate)
        self.bytesLimit = settings.bytesInHandLimit
        // A client that sends many bodies slowly on purpose leaves room for others, and can send one of any size.
        self.clientBytesLimit = max(settings.bodyLimit, settings.bytesInHandLimit / 4)
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
    var bytesInHand: Int { self.hands.withLock { $0.bytes } }

    /// Counts bytes of a client's body as in hand. They must be released once the request is answered.
    ///
    /// - Returns: nil; or the answer to the request, and nothing is counted, if the bytes of the client or of all
    ///   clients would be too many.
    func hold(_ count: Int, of client: ClientAddress) -> Answer? {
        self.hands.withLock { hands in
            let held = hands.clients[client.network, default: 0]
            guard count <= self.clientBytesLimit - held else { return .tooFast(seconds: 1) }
            guard count <= self.bytesLimit - hands.bytes else { return .unavailable }
            hands.clients[client.network] = held + count
            hands.bytes += count
            return nil
        }
    }

    /// Gives back bytes that `hold` has counted.
    func release(_ count: Int, of client: ClientAddress) {
        self.hands.withLock { hands in
            hands.bytes -= count
            let left = hands.clients[client.network, default: 0] - count
            hands.clients[client.network] = left > 0 ? left : nil
        }
    }
}
