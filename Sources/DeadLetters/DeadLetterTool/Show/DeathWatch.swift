import DeadLetters

/// Counts how many records of a replay end without success while the replay goes on.
final class DeathWatch {
    private let desk: Desk
    private let batch: String
    private let limit: Int?
    private var nextLook = ContinuousClock.now
    /// The number of records that have died again, were rejected or have expired, as of the last look.
    private(set) var count = 0
    /// The error of a look; nil if there was none. After an error nobody knows the count, and the replay is over.
    private(set) var failure: String?

    /// - Parameter limit: The count at which the replay is to stop; nil for never.
    init(_ desk: Desk, batch: String, limit: Int?) {
        self.desk = desk
        self.batch = batch
        self.limit = limit
    }

    /// Whether the replay is to stop. Looks at the outcomes once a second.
    var isOver: Bool {
        guard let limit, self.count < limit, self.failure == nil else { return self.limit != nil }
        guard ContinuousClock.now >= self.nextLook else { return false }
        self.nextLook = ContinuousClock.now + .seconds(1)
        do {
            try self.desk.refresh()
            let found = try self.desk.index.batches(limit: 1, batch: self.batch).first?.counts ?? [:]
            self.count = [.deadAgain, .rejected, .expired].reduce(0) { $0 + (found[$1] ?? 0) }
        } catch {
            self.failure = "\(error)"
        }
        return self.count >= limit || self.failure != nil
    }
}
