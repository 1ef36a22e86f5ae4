import GRDB

extension Desk {
    /// Returns entries of the audit trail, the latest first.
    ///
    /// - Parameters:
    ///   - limit: the number of entries at most, before those are left out that cannot be read.
    ///   - offset: the number of later entries to leave out.
    package func audit(limit: Int, offset: Int = 0) throws -> [AuditEntry] {
        try self.index.audit(limit: limit, offset: offset).compactMap { AuditEntry(json: Array($0.utf8)) }
    }

    /// A replay that was begun and has not ended.
    package struct UnderWay: Hashable, Sendable {
        /// The batch id of the replay.
        package var batch: String
        /// The user who began the replay.
        package var by: String
        /// The reason that the user gave.
        package var because: String
        /// The time of the replay's last progress, in milliseconds since 1970.
        package var at: Int64
        /// The number of letters that the replay was begun with.
        package var planned: Int
        /// The number of letters that it has replayed.
        package var done: Int
    }

    /// The time in milliseconds that a replay may make no progress before its process counts as dead.
    package static let longestSilence: Int64 = 30_000

    /// Returns the replay that is under way, by the audit trail and the ledger as they were last read; nil if
    /// there is none.
    ///
    /// The result serves only to warn a user. Safety does not depend on it: a replay that begins fences the
    /// other one, and replays no letter that the other one has replayed. Only the latest 50 audit entries are
    /// looked at.
    package func underWay() throws -> UnderWay? {
        let entries = try self.audit(limit: 50).filter { $0.action == .replay || $0.action == .edit }
        let ended = Set(entries.filter { $0.counts["left"] != nil }.map(\.batch))
        // A replay that begins fences every earlier one, also one whose process was killed. So only the
        // latest can be under way.
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

    /// How a wait for another user's replay ended.
    package enum Passing: Hashable, Sendable {
        /// No replay is under way any more. `hasWaited` is false if none was under way from the start.
        case isFree(hasWaited: Bool)
        /// The replay has made progress during the wait, so its process lives.
        case isAlive(UnderWay)
        /// `pause` returned false: the user does not want to wait any longer.
        case wasStopped
    }

    /// Waits while a replay seems to be under way, until it makes progress or has been silent for
    /// `longestSilence`.
    ///
    /// The wait is needed because a process that was killed writes no last entry.
    ///
    /// - Parameters:
    ///   - told: called once before the wait, with the replay and with the longest duration of the wait in
    ///     milliseconds.
    ///   - pause: waits at most for the given duration; returns false if the user does not want to wait any
    ///     longer.
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

    /// The offsets up to which each partition of the index has been read, for `arrivals`.
    package struct Ends: Hashable, Sendable {
        fileprivate var next: [Int64: Int64]
    }

    /// Returns the offsets up to which each partition has been read.
    package func ends() throws -> Ends { Ends(next: try self.index.nextOffsets()) }

    /// Returns the positions of the letters that were read since `ends`, without repeats, and moves `ends` to
    /// the present.
    ///
    /// - Parameter limit: the number of positions at most. The letters beyond it are left out, also from the
    ///   next call.
    package func arrivals(since ends: inout Ends, limit: Int = 10_000) throws -> [LetterPosition] {
        let now = try self.index.nextOffsets()
        defer { ends.next = now }
        guard now != ends.next else { return [] }
        return try self.index.positions(between: ends.next, and: now, limit: limit)
    }
}

extension LetterIndex {
    /// Returns the time of the latest replay of a batch, in milliseconds since 1970; nil if it has replayed
    /// nothing.
    fileprivate func lastReplay(of batch: String) throws -> Int64? {
        try self.pool.read { database in
            try Int64.fetchOne(
                database,
                sql: "SELECT max(at) FROM replays WHERE batch = ?",
                arguments: [batch]
            )
        }
    }

    /// Returns the next offset of each partition, by the partition's row id.
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
