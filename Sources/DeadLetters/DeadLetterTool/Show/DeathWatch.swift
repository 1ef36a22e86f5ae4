import DeadLetters

/// Counts how many records of a replay end without success while the replay goes on.
final class DeathWatch {
    private let desk: Desk
    private let batch: String
    private let limit: Int?
    private var nextLook = ContinuousClock.now
    /// The end of the watch; nil while the replay may go on.
    private(set) var end: End?

    /// The reason for which a replay is to stop.
    enum End {
        /// So many records have died again, were rejected or have expired.
        case deaths(Int)
        /// The outcomes cannot be read, so nobody knows how many have died. The text is the error.
        case failure(String)
    }

    /// - Parameter limit: The number of records without success at which the replay is to stop; nil for never.
    init(_ desk: Desk, batch: String, limit: Int?) {
        self.desk = desk
        self.batch = batch
        self.limit = limit
    }

    /// Looks at the outcomes, at most once a second, and sets `end` if the replay is to stop.
    func look() {
        guard let limit, self.end == nil, ContinuousClock.now >= self.nextLook else { return }
        self.nextLook = ContinuousClock.now + .seconds(1)
        do {
            try self.desk.refresh()
            let found = try self.desk.index.batches(limit: 1, batch: self.batch).first?.counts ?? [:]
            let count = [.deadAgain, .rejected, .expired].reduce(0) { $0 + (found[$1] ?? 0) }
            if count >= limit { self.end = .deaths(count) }
        } catch {
            self.end = .failure(ErrorWords.text(error))
        }
    }
}
