/// Decides which connection is closed when there are too many.
///
/// A client network with more than its share closes its own connection, the one that has made no progress for longest.
/// Where no network has more, a connection is closed that has been silent for a while, whoever has it: its client loses
/// little, and an attacker with many networks has many of them. Only then the network with the most is asked again, because
/// a network can be the many phones of a carrier. Among networks with the same number, the one comes first of which nothing
/// was heard for longest, be it progress or another connection.
struct ConnectionRanks<Connection: Hashable & Sendable, Network: Hashable & Sendable>: Sendable {
    /// How long a connection may be silent before it is closed for the sake of others.
    static var patience: Duration { .seconds(2) }

    /// The most connections that a network can have while others are closed.
    private let share: Int
    private var homes: [Connection: Network] = [:]
    private var connections: [Network: UseOrder<Connection>] = [:]
    /// The networks by the number of their connections.
    private var networks: [Int: UseOrder<Network>] = [:]
    /// The largest number of connections that a network has.
    private var largest = 0
    /// The connections that their clients have to go on with, and the time of their last progress.
    private var silent = UseOrder<Connection>()
    private var heardAt: [Connection: ContinuousClock.Instant] = [:]

    /// - Parameter limit: The number of connections from which on one is closed.
    init(limit: Int) { self.share = max(16, limit / 16) }

    /// The number of connections.
    var count: Int { self.homes.count }

    /// Returns the connection that is closed first; nil if there is none.
    func first(at now: ContinuousClock.Instant) -> Connection? {
        if self.largest <= self.share, let oldest = self.silent.oldest, let heard = self.heardAt[oldest],
            heard.duration(to: now) >= Self.patience
        {
            return oldest
        }
        guard let network = self.networks[self.largest]?.oldest else { return nil }
        return self.connections[network]?.oldest
    }

    mutating func opened(_ connection: Connection, from network: Network, at now: ContinuousClock.Instant) {
        self.homes[connection] = network
        self.progressed(connection, at: now)
    }

    /// Notes that a client has gone on, or has got an answer.
    mutating func progressed(_ connection: Connection, at now: ContinuousClock.Instant) {
        guard let network = self.homes[connection] else { return }
        self.change(network) { $0.use(connection) }
        self.silent.use(connection)
        self.heardAt[connection] = now
    }

    /// Notes that a client waits for its answer. It is not the client that is silent then.
    mutating func waits(_ connection: Connection) {
        self.silent.remove(connection)
        self.heardAt[connection] = nil
    }

    mutating func closed(_ connection: Connection) {
        guard let network = self.homes.removeValue(forKey: connection) else { return }
        self.waits(connection)
        self.change(network) { $0.remove(connection) }
    }

    private mutating func change(_ network: Network, _ change: (inout UseOrder<Connection>) -> Void) {
        var order = self.connections.removeValue(forKey: network) ?? UseOrder()
        let before = order.count
        change(&order)
        self.networks[before]?.remove(network)
        if order.count > 0 {
            self.networks[order.count, default: UseOrder()].use(network)
            self.largest = max(self.largest, order.count)
            self.connections[network] = order
        }
        if self.networks[before]?.count == 0 { self.networks[before] = nil }
        // A network loses one connection at a time, so the next smaller number has a network, or is 0.
        if self.networks[self.largest] == nil { self.largest = max(0, self.largest - 1) }
    }
}
