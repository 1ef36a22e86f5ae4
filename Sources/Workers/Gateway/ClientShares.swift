/// An amount that the requests of all clients have in hand together, of which one client can have a quarter.
struct ClientShares: Sendable {
    private let limit: Int
    private let clientLimit: Int
    private(set) var total = 0
    /// The amount of each client that has some.
    private var clients: [ClientAddress: Int] = [:]

    /// - Parameters:
    ///   - limit: The most for all clients.
    ///   - largest: The most that one request needs. A client can have as much in any case.
    init(limit: Int, largest: Int) {
        self.limit = limit
        self.clientLimit = max(largest, limit / 4)
    }

    /// Returns the answer to a request that needs so much more; nil if there is room for it.
    func refusal(of count: Int, to client: ClientAddress) -> Answer? {
        let held = self.clients[client.network, default: 0]
        guard count <= self.clientLimit - held else { return .tooFast(seconds: 1) }
        return count <= self.limit - self.total ? nil : .unavailable
    }

    /// Returns the amount that a client has.
    func amount(of client: ClientAddress) -> Int { self.clients[client.network, default: 0] }

    mutating func hold(_ count: Int, of client: ClientAddress) {
        self.clients[client.network, default: 0] += count
        self.total += count
    }

    mutating func release(_ count: Int, of client: ClientAddress) {
        let left = self.clients[client.network, default: 0] - count
        self.clients[client.network] = left > 0 ? left : nil
        self.total -= count
    }
}
