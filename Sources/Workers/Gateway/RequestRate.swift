/// A limit of requests per second, with a burst of one second's worth, as the generic cell rate algorithm
/// (ITU-T I.371) counts. One number per client is all that it remembers.
struct RequestRate: Sendable {
    private static let second: Int64 = 1_000_000_000

    private let interval: Int64
    private let burst: Int64

    /// - Parameter perSecond: the requests per second, at least 1.
    init(perSecond: Int) {
        self.interval = max(1, Self.second / Int64(clamping: max(1, perSecond)))
        self.burst = Self.second - self.interval
    }

    /// Takes one request.
    ///
    /// - Parameters:
    ///   - due: the time at which the client will have used up nothing any more; 0 for a new client.
    ///   - now: monotonic nanoseconds.
    /// - Returns: nil if the request may pass; else the nanoseconds until one may.
    func take(_ due: inout Int64, at now: Int64) -> Int64? {
        let start = max(due, now)
        let wait = start - now - self.burst
        guard wait <= 0 else { return wait }
        due = start + self.interval
        return nil
    }
}

/// The rates of many clients, in a table of bounded size.
///
/// The table has two halves. When the newer one is full, it becomes the older one, and the clients that were
/// only in the older one, which have been quiet for longest, are forgotten. A forgotten client begins anew.
struct ClientRates: Sendable {
    private let rate: RequestRate
    private let halfLimit: Int
    private var newer: [ClientAddress: Int64] = [:]
    private var older: [ClientAddress: Int64] = [:]

    /// - Parameter limit: the largest number of clients that are remembered.
    init(_ rate: RequestRate, limit: Int) {
        self.rate = rate
        self.halfLimit = max(1, limit / 2)
    }

    /// The number of clients that are remembered; a client may count twice.
    var count: Int { self.newer.count + self.older.count }

    /// Takes one request of a client, as `RequestRate.take` does.
    mutating func take(_ client: ClientAddress, at now: Int64) -> Int64? {
        let known = self.newer[client]
        var due = known ?? self.older[client] ?? 0
        let wait = self.rate.take(&due, at: now)
        if known == nil, self.newer.count >= self.halfLimit {
            self.older = self.newer
            self.newer = [:]
        }
        self.newer[client] = due
        return wait
    }
}
