/// Decides which connection is closed when there are too many: of the client network with the most
/// connections, the one that has made no progress for longest.
///
/// A client that opens many connections thereby closes its own. Among networks with the same number, the one
/// comes first of which nothing was heard for longest, be it progress or another connection; if each has one
/// connection, the slowest of all is closed.
struct ConnectionRanks<Connection: Hashable & Sendable, Network: Hashable & Sendable>: Sendable {
    private var homes: [Connection: Network] = [:]
    private var connections: [Network: UseOrder<Connection>] = [:]
    /// The networks by the number of their connections.
    private var networks: [Int: UseOrder<Network>] = [:]
    /// The largest number of connections that a network has.
    private var largest = 0

    /// The number of connections.
    var count: Int { self.homes.count }

    /// The connection that is closed first; nil if there is none.
    var first: Connection? {
        guard let network = self.networks[self.largest]?.oldest else { return nil }
        return self.connections[network]?.oldest
    }

    mutating func opened(_ connection: Connection, from network: Network) {
        self.homes[connection] = network
        self.change(network) { $0.use(connection) }
    }

    mutating func progressed(_ connection: Connection) {
        guard let network = self.homes[connection] else { return }
        self.change(network) { $0.use(connection) }
    }

    mutating func closed(_ connection: Connection) {
        guard let network = self.homes.removeValue(forKey: connection) else { return }
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
