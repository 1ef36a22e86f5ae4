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
        /// The rates of all clients of a site together.
        var sites: ClientRates
        /// The rates of sites on the route of clicks. A platform sends its clicks from few addresses, so the share of each is
        /// large.
        var clickSites: ClientRates
    }

    private let routeRate: RequestRate
    private let rates: Mutex<Rates>
    private let bodies: Mutex<BodiesInHand>
    private let records: Mutex<[Route: ClientShares]>

    init(_ settings: GatewaySettings) {
        self.routeRate = RequestRate(perSecond: settings.rate)
        self.bodies = Mutex(BodiesInHand(settings))
        let records = ClientShares(limit: RequestLimits.recordsLimit, largest: settings.reportsLimit)
        self.records = Mutex(Dictionary(uniqueKeysWithValues: Route.allCases.map { ($0, records) }))
        func clients(_ rate: Int) -> ClientRates {
            ClientRates(RequestRate(perSecond: rate), limit: settings.clientsLimit)
        }
        let half = settings.rate / 2
        self.rates = Mutex(
            Rates(
                clients: clients(settings.clientRate),
                sites: clients(max(settings.clientRate, half)),
                clickSites: clients(half)
            )
        )
    }

    /// Takes one request of a client. It takes nothing yet of the rate of its route.
    ///
    /// - Parameter route: The route; nil for a request on none.
    /// - Returns: nil if the request may pass; else the whole seconds until one may, at least 1.
    func take(of client: ClientAddress, on route: Route?, at now: Moment = .now) -> Int64? {
        let wait = self.rates.withLock { rates in
            if route == .clicks { return rates.clickSites.take(client.site, at: now.monotonic) }
            return rates.clients.take(client.network, at: now.monotonic)
                ?? rates.sites.take(client.site, at: now.monotonic)
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
    var bytesInHand: Int { self.bodies.withLock { $0.total } }

    /// The records of a route that are in hand.
    func recordsInHand(on route: Route) -> Int { self.records.withLock { $0[route]?.total ?? 0 } }

    /// Does something with the bodies that are in hand.
    func withBodies<Result>(_ body: (inout BodiesInHand) -> sending Result) -> sending Result {
        self.bodies.withLock(body)
    }

    /// Counts the records of a request as in hand. They must be released once the request is answered.
    ///
    /// - Returns: nil; or the answer to the request, and nothing is counted, if the records of the client or of the
    ///   route would be too many.
    func hold(records count: Int, of client: ClientAddress, on route: Route) -> Answer? {
        self.records.withLock { records in
            if let refusal = records[route]?.refusal(of: count, to: client) { return refusal }
            records[route]?.hold(count, of: client)
            return nil
        }
    }

    /// Gives back records that `hold(records:of:on:)` has counted.
    func release(records count: Int, of client: ClientAddress, on route: Route) {
        self.records.withLock { records in
            records[route]?.release(count, of: client)
            return
        }
    }
}
