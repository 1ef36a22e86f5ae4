import ServiceKit

/// The bodies that have come, or are coming in, and are not answered. Their bytes are bounded: for all of them together,
/// for each route and for each client.
///
/// A client that sends slowly, or not on, holds what has come. So where there is no room for another client that holds
/// less, bodies of the client that holds most are given up, the one without progress for longest first.
struct BodiesInHand: Sendable {
    /// Names a body. A connection has one at a time.
    typealias ID = ObjectIdentifier

    private struct Body {
        let client: ClientAddress
        let route: Route
        var count = 0
        /// The bytes that have come since the last progress.
        var unnoted = 0
        /// The monotonic time of the last progress.
        var progressedAt: Int64
        /// Whether all of it has come. Then it waits for the cluster, and not for its client.
        var isComplete = false
        var isGivenUp = false
        let giveUp: @Sendable () -> Void
    }

    /// The bytes that count as progress.
    private static let notableBytes = 256

    private var bodies: [ID: Body] = [:]
    private var shares: ClientShares
    private var routes: [Route: Int] = [:]
    private let routeLimit: Int

    init(_ settings: GatewaySettings) {
        self.shares = ClientShares(limit: settings.bytesInHandLimit, largest: settings.bodyLimit)
        // A route whose topic is stuck leaves room for the other routes.
        self.routeLimit =
            settings.topics.count > 1
            ? max(settings.bodyLimit, settings.bytesInHandLimit / 2) : settings.bytesInHandLimit
    }

    /// The bytes of all bodies.
    var total: Int { self.shares.total }

    /// Counts bytes of a body. They are in hand until `release`.
    ///
    /// - Parameters:
    ///   - now: The monotonic time.
    ///   - giveUp: Is called, once at most, if the body is given up for another client. Its bytes are no longer in hand
    ///     then. It must not block, and call nothing of these limits.
    /// - Returns: nil; or the answer to the request, and nothing is counted, if the bytes would be too many.
    mutating func hold(
        _ count: Int,
        for id: ID,
        of client: ClientAddress,
        on route: Route,
        at now: Int64,
        giveUp: @escaping @Sendable () -> Void
    ) -> Answer? {
        var body =
            self.bodies[id] ?? Body(client: client, route: route, progressedAt: now, giveUp: giveUp)
        guard !body.isGivenUp else { return .unavailable }
        // A client that has its share makes no room by the bodies of others.
        // The first pass may make room on the route, and the second one for all routes.
        for _ in 0..<2 where self.refusal(of: count, to: client, on: route) == .unavailable {
            self.makeRoom(for: count, of: client, on: route)
        }
        if let refusal = self.refusal(of: count, to: client, on: route) { return refusal }
        self.shares.hold(count, of: client)
        self.routes[route, default: 0] += count
        body.count += count
        body.unnoted += count
        if body.unnoted >= Self.notableBytes { (body.unnoted, body.progressedAt) = (0, now) }
        self.bodies[id] = body
        return nil
    }

    private func refusal(of count: Int, to client: ClientAddress, on route: Route) -> Answer? {
        if let refusal = self.shares.refusal(of: count, to: client) { return refusal }
        return count <= self.routeLimit - self.routes[route, default: 0] ? nil : .unavailable
    }

    /// Gives up bodies of clients that would still hold more than this one, until there is room or no such body.
    ///
    /// Somebody can open thousands of tiny bodies, so all candidates are found in one pass.
    private mutating func makeRoom(for count: Int, of client: ClientAddress, on route: Route) {
        let isRouteFull = count > self.routeLimit - self.routes[route, default: 0]
        let share = self.shares.amount(of: client) + count
        let candidates = self.bodies
            .filter { (!isRouteFull || $0.value.route == route) && self.holds($0.value, more: share) }
            .map { (id: $0.key, amount: self.shares.amount(of: $0.value.client), body: $0.value) }
            .sorted { ($1.amount, $0.body.progressedAt) < ($0.amount, $1.body.progressedAt) }
        for (id, _, body) in candidates {
            let isRoom = isRouteFull && count <= self.routeLimit - self.routes[route, default: 0]
            guard !isRoom, self.refusal(of: count, to: client, on: route) == .unavailable else { return }
            // The client may have lost so much by now that it no longer holds more.
            guard self.holds(body, more: share) else { continue }
            self.forget(body)
            self.bodies[id]?.count = 0
            self.bodies[id]?.isGivenUp = true
            body.giveUp()
        }
    }

    /// Whether a body waits for its client, and the client holds more than an amount.
    private func holds(_ body: Body, more amount: Int) -> Bool {
        !body.isComplete && body.count > 0 && self.shares.amount(of: body.client) > amount
    }

    private mutating func forget(_ body: Body) {
        self.shares.release(body.count, of: body.client)
        self.routes[body.route, default: 0] -= body.count
    }

    /// Notes that all of a body has come.
    ///
    /// - Returns: false if it was given up before.
    mutating func complete(_ id: ID) -> Bool {
        guard self.bodies[id]?.isGivenUp != true else { return false }
        self.bodies[id]?.isComplete = true
        return true
    }

    /// Whether the body was given up for another client.
    func isGivenUp(_ id: ID) -> Bool { self.bodies[id]?.isGivenUp == true }

    /// Drops a body, whose bytes are no longer in hand.
    mutating func release(_ id: ID) {
        guard let body = self.bodies.removeValue(forKey: id) else { return }
        self.forget(body)
    }
}
