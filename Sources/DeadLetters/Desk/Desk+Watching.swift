import GRDB

extension Desk {
    /// The audit trail, the latest first.
    package func audit(limit: Int, offset: Int = 0) throws -> [AuditEntry] {
        try self.index.audit(limit: limit, offset: offset).compactMap { AuditEntry(json: Array($0.utf8)) }
    }

    /// A replay that somebody has begun and not ended.
    package struct UnderWay: Hashable, Sendable {
        package var batch: String
        package var by: String
        package var because: String
        /// When it last did something: milliseconds since 1970.
        package var at: Int64
        package var planned: Int
        package var done: Int
    }

    /// How long a replay may do nothing before it is taken for dead.
    package static let longestSilence: Int64 = 30_000

    /// The replay that is under way, by the audit trail and the ledger as they were last read. Nothing rests on this but
    /// good manners: whoever begins another ends it, and replays nothing that it has replayed.
    package func underWay() throws -> UnderWay? {
        let entries = try self.audit(limit: 50).filter { $0.action == .replay || $0.action == .edit }
        let ended = Set(entries.filter { $0.counts["left"] != nil }.map(\.batch))
        // Whoever has begun last has ended all that were begun before, also those that were killed.
        guard let begun = entries.first(where: { $0.counts["left"] == nil }), !ended.contains(begun.batch)
        else { return nil }
        let replays = try self.index.batches(limit: 1, batch: begun.batch).first
        let last = max(begun.at, try self.index.lastReplay(of: begun.batch) ?? 0)
        guard self.now() - last < Self.longestSilence else { return nil }
        return UnderWay(
            batch: begun.batch,
            by: begun.by,
            because: begun.because,
            at: last,
            planned: begun.counts["planned"] ?? 0,
            done: replays?.total ?? 0
        )
    }

    /// How a wait for somebody else's replay ended.
    package enum Passing: Hashable, Sendable {
        /// Nothing is under way any more, after a wait or without one.
        case isFree(hasWaited: Bool)
        /// The replay has done something meanwhile: its process lives.
        case isAlive(UnderWay)
        case wasStopped
    }

    /// Waits for a replay that seems to be under way until it shows that it lives, or has been silent for
    /// `longestSilence`: a process that was killed says no goodbye.
    ///
    /// - Parameters:
    ///   - told: told once, before the wait, of the replay and of the milliseconds that it may last.
    ///   - pause: waits at most this long; false if whoever asked does not want to wait any longer.
    package func letPass(
        _ told: (UnderWay, Int64) -> Void,
        pause: (Duration) -> Bool
    ) throws -> Passing {
        guard let first = try self.underWay() else { return .isFree(hasWaited: false) }
        told(first, max(0, first.at + Self.longestSilence - self.now()))
        while true {
            guard pause(.seconds(1)) else { return .wasStopped }
            try self.reader.refreshTrail()
            guard let now = try self.underWay() else { return .isFree(hasWaited: true) }
            guard now == first else { return .isAlive(now) }
        }
    }

    /// How far each partition of letters has been read, for `arrivals`.
    package struct Ends: Hashable, Sendable {
        fileprivate var next: [Int64: Int64]
    }

    /// How far each partition has been read.
    package func ends() throws -> Ends { Ends(next: try self.index.nextOffsets()) }

    /// Where letters lie that were read since, at most so many, and moves the ends behind them.
    package func arrivals(since ends: inout Ends, limit: Int = 10_000) throws -> [LetterPosition] {
        let now = try self.index.nextOffsets()
        defer { ends.next = now }
        guard now != ends.next else { return [] }
        return try self.index.positions(between: ends.next, and: now, limit: limit)
    }
}

extension LetterIndex {
    fileprivate func lastReplay(of batch: String) throws -> Int64? {
        try self.pool.read { database in
            try Int64.fetchOne(
                database,
                sql: "SELECT max(at) FROM replays WHERE batch = ?",
                arguments: [batch]
            )
        }
    }

    /// By the partitions' rows.
    fileprivate func nextOffsets() throws -> [Int64: Int64] {
        try self.pool.read { database in
            let rows = try Row.fetchAll(database, sql: "SELECT id, next FROM partitions")
            return Dictionary(rows.map { ($0[0], $0[1]) }) { $1 }
        }
    }

    fileprivate func positions(
        between start: [Int64: Int64],
        and end: [Int64: Int64],
        limit: Int
    ) throws -> [LetterPosition] {
        try self.pool.read { database in
            var found: [LetterPosition] = []
            for (partition, end) in end.sorted(by: { $0.key < $1.key }) {
                let start = start[partition] ?? 0
                guard start < end, found.count < limit else { continue }
                let places = try Int64.fetchAll(
                    database,
                    sql: """
                        SELECT place FROM letters WHERE place >= ? AND place < ? AND repeat = 0
                        ORDER BY place LIMIT ?
                        """,
                    arguments: [
                        Self.place(partition: partition, offset: start),
                        Self.place(partition: partition, offset: end), limit - found.count,
                    ]
                )
                found += try places.compactMap { try Self.position(of: $0, in: database) }
            }
            return found
        }
    }
}
