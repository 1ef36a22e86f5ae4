import ServiceKit
import Synchronization

/// The limits of rate and memory that all requests share.
final class RequestLimits: Sendable {
    /// The most records of a route between their arrival and their answer. The producer's queue, which all routes
    /// share, has room for more than those of all routes, so that no route can fill it.
    static let recordsLimit = 50_000

    private struct Rates {
        var routes: [Route: Int64] = [:]
        var clients: ClientRates
        var clickClients: ClientRates
    }

    /// Everything that has come and is not answered.
    private struct Hands {
        var bytes: ClientShares
        var routeBytes: [Route: Int] = [:]
        var records: [Route: ClientShares]
    }

    private let routeRate: RequestRate
    private let rates: Mutex<Rates>
    private let routeBytesLimit: Int
    private let hands: Mutex<Hands>

    init(_ settings: GatewaySettings) {
        self.routeRate = RequestRate(perSecond: settings.rate)
        // A route whose topic is stuck leaves room for the other routes.
        self.routeBytesLimit =
            settings.topics.count > 1
            ? max(settings.bodyLimit, settings.bytesInHandLimit / 2) : settings.bytesInHandLimit
        let records = ClientShares(limit: RequestLimits.recordsLimit, largest: settings.reportsLimit)
        self.hands = Mutex(
            Hands(
                bytes: ClientShares(limit: settings.bytesInHandLimit, largest: settings.bodyLimit),
                records: Dictionary(uniqueKeysWithValues: Route.allCases.map { ($0, records) })
            )
        )
        func clients(_ rate: Int) -> ClientRates {
            ClientRates(RequestRate(perSecond: rate), limit: settings.clientsLimit)
        }
        self.rates = Mutex(
            // A platform sends its clicks from few addresses, so the share of each is large.
            Rates(clients: clients(settings.clientRate), clickClients: clients(settings.rate / 2))
        )
    }

    /// Takes one request of a client. It takes nothing yet of the rate of its route.
    ///
    /// - Returns: nil if the request may pass; else the whole seconds until one may, at least 1.
    func take(of client: ClientAddress, on route: Route, at now: Moment = .now) -> Int64? {
        let wait = self.rates.withLock { rates in
            route == .clicks
                ? rates.clickClients.take(client.network, at: now.monotonic)
                : rates.clients.take(client.network, at: now.monotonic)
        }
        return wait.map(Self.seconds)
    }

    /// Takes one request of a route, as `take(of:on:at:)` does.
    func take(on route: Route, at now: Moment = .now) -> Int64? {
        let wait = self.rates.withLock { rates in
            self.routeRate.take(&rates.routes[route, default: 0], at: now.monotonic)
        }
        return wait.map(Self.seconds)
    }

    private static func seconds(_ nanoseconds: Int64) -> Int64 {
        max(1, (nanoseconds + 999_999_999) / 1_000_000_000)
    }

    /// The bytes of bodies that are in hand.
    var bytesInHand: Int { self.hands.withLock { $0.bytes.total } }

    /// The records of a route that are in hand.
    func recordsInHand(on route: Route) -> Int { self.hands.withLock { $0.records[route]?.total ?? 0 } }

    /// Counts bytes of a client's body as in hand. They must be released once the request is answered.
    ///
    /// - Returns: nil; or the answer to the request, and nothing is counted, if the bytes of the client, of the
    ///   route or of all routes would be too many.
    func hold(bytes count: Int, of client: ClientAddress, on route: Route) -> Answer? {
        self.hands.withLock { hands in
            if let refusal = hands.bytes.refusal(of: count, to: client) { return refusal }
            let held = hands.routeBytes[route, default: 0]
            guard count <= self.routeBytesLimit - held else { return .unavailable }
            hands.routeBytes[route] = held + count
            hands.bytes.hold(count, of: client)
            return nil
        }
    }

    /// Gives back bytes that `hold(bytes:of:on:)` has counted.
    func release(bytes count: Int, of client: ClientAddress, on route: Route) {
        self.hands.withLock { hands in
            hands.routeBytes[route, default: 0] -= count
            hands.bytes.release(count, of: client)
        }
    }

    /// Counts the records of a request as in hand. They must be released once the request is answered.
    ///
    /// - Returns: nil; or the answer to the request, and nothing is counted, if the records of the client or of the
    ///   route would be too many.
    func hold(records count: Int, of client: ClientAddress, on route: Route) -> Answer? {
        self.hands.withLock { hands in
            if let refusal = hands.records[route]?.refusal(of: count, to: client) { return refusal }
            hands.records[route]?.hold(count, of: client)
            return nil
        }
    }

    /// Gives back records that `hold(records:of:on:)` has counted.
    func release(records count: Int, of client: ClientAddress, on route: Route) {
        self.hands.withLock { hands in
            hands.records[route]?.release(count, of: client)
            return
        }
    }
}
