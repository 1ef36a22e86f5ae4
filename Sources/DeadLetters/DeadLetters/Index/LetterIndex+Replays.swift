import GRDB

extension LetterIndex {
    /// Sets the state of all copies of a letter, and updates the number of open letters of its group.
    static func change(_ id: LetterID, to state: LetterState, in database: Database) throws {
        let rows = try Row.fetchAll(
            database,
            sql: "SELECT place, grp, at, state, repeat FROM letters WHERE high = ? AND low = ?",
            arguments: [id.high, id.low]
        )
        for row in rows {
            let (place, group, at, old): (Int64, Int64, Int64, Int) = (row[0], row[1], row[2], row[3])
            guard old != state.rawValue else { continue }
            try database.execute(
                sql: "UPDATE letters SET state = ? WHERE place = ?",
                arguments: [state.rawValue, place]
            )
            let change = (state == .open ? 1 : 0) - (old == LetterState.open.rawValue ? 1 : 0)
            let isRepeat: Bool = row[4]
            guard change != 0, !isRepeat else { continue }
            try database.execute(
                sql: "UPDATE buckets SET open = open + ? WHERE grp = ? AND hour = ?",
                arguments: [change, group, at / Self.hour]
            )
        }
    }

    /// Stores how a replay ended.
    ///
    /// The first ending that is stored stays; a worker that repeats an outcome after a crash reports the same
    /// one. An ending that is read before the ledger's entry of the replay is kept until the entry is read.
    ///
    /// - Parameter at: the time of the ending, in milliseconds since 1970.
    static func settle(
        _ replay: String,
        _ state: LetterState,
        reason: String?,
        at: Int64,
        in database: Database
    ) throws {
        let row = try Row.fetchOne(
            database,
            sql: "SELECT high, low, state FROM replays WHERE id = ?",
            arguments: [replay]
        )
        guard let row else {
            return try database.execute(
                sql:
                    "INSERT INTO endings(replay, state, reason, at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
                arguments: [replay, state.rawValue, reason, at]
            )
        }
        let id = LetterID(high: row[0], low: row[1])
        guard row[2] == LetterState.replayed.rawValue else { return }
        try database.execute(
            sql: "UPDATE replays SET state = ?, reason = ?, settled = ? WHERE id = ?",
            arguments: [state.rawValue, reason, at, replay]
        )
        // The state of a letter follows its latest replay only.
        try database.execute(
            sql: "UPDATE ledger SET state = ? WHERE high = ? AND low = ? AND replay = ?",
            arguments: [state.rawValue, id.high, id.low, replay]
        )
        if database.changesCount == 1 { try self.change(id, to: state, in: database) }
    }

    /// Stores records of the ledger, together with how far its partitions have been read, in one transaction.
    ///
    /// - Parameter stands: the old and the new offset of each partition, by its row id.
    /// - Throws: `Overtaken` if another process has read the same records meanwhile.
    func write(_ news: [LedgerNews], _ stands: [Int64: ClosedRange<Int64>]) throws {
        try self.pool.write { database in
            try Self.move(stands, in: database)
            for told in news {
                switch told {
                case .entry(let entry): try Self.take(entry, in: database)
                case .withdrawn(let letter): try Self.withdraw(letter, in: database)
                }
            }
        }
    }

    /// Removes the ledger's entry of a letter, which becomes open again.
    private static func withdraw(_ letter: LetterID, in database: Database) throws {
        try database.execute(
            sql: "DELETE FROM ledger WHERE high = ? AND low = ?",
            arguments: [letter.high, letter.low]
        )
        try self.change(letter, to: .open, in: database)
    }

    /// Stores an entry of the ledger.
    private static func take(_ entry: LedgerEntry, in database: Database) throws {
        let (id, state) = (entry.letter, entry.action == .replayed ? LetterState.replayed : .discarded)
        try database.execute(
            sql: """
                INSERT INTO ledger(high, low, state, replay, replays, by, at, because, target, edited)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT(high, low) DO UPDATE SET state = excluded.state, replay = excluded.replay,
                    replays = excluded.replays, by = excluded.by, at = excluded.at, because = excluded.because,
                    target = excluded.target, edited = excluded.edited
                """,
            arguments: [
                id.high, id.low, state.rawValue, entry.replay, entry.replays, entry.by, entry.at,
                entry.because,
                entry.target, entry.edited,
            ]
        )
        try self.change(id, to: state, in: database)
        guard let replay = entry.replay else { return }
        try database.execute(
            sql: """
                INSERT INTO replays(id, batch, high, low, by, at, because, target, edited, state)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
                """,
            arguments: [
                replay, entry.batch, id.high, id.low, entry.by, entry.at, entry.because, entry.target ?? "",
                entry.edited, LetterState.replayed.rawValue,
            ]
        )
        let ending = try Row.fetchOne(
            database,
            sql: "DELETE FROM endings WHERE replay = ? RETURNING state, reason, at",
            arguments: [replay]
        )
        if let ending, let known = LetterState(rawValue: ending[0]) {
            try self.settle(replay, known, reason: ending[1], at: ending[2], in: database)
        }
        try self.recall(replay, of: id, in: database)
    }

    /// Gives a letter the known ending of its replay again.
    ///
    /// An entry can be read a second time, for example if the ledger topic was created again. It must not
    /// turn an ended replay into a waiting one.
    private static func recall(_ replay: String, of id: LetterID, in database: Database) throws {
        let state = try Int.fetchOne(
            database,
            sql: "SELECT state FROM replays WHERE id = ? AND high = ? AND low = ?",
            arguments: [replay, id.high, id.low]
        )
        guard let state = state.flatMap(LetterState.init(rawValue:)), state != .replayed else { return }
        try database.execute(
            sql: "UPDATE ledger SET state = ? WHERE high = ? AND low = ?",
            arguments: [state.rawValue, id.high, id.low]
        )
        try self.change(id, to: state, in: database)
    }

    /// Stores the outcomes of replays, together with how far the result topics have been read, in one
    /// transaction.
    ///
    /// - Parameter stands: the old and the new offset of each partition, by its row id.
    /// - Throws: `Overtaken` if another process has read the same records meanwhile.
    func write(_ endings: [ReplayOutcome], _ stands: [Int64: ClosedRange<Int64>]) throws {
        try self.pool.write { database in
            try Self.move(stands, in: database)
            for ending in endings {
                let state = LetterState(fate: ending.fate)
                guard state != .replayed else { continue }
                try Self.settle(
                    ending.replayID,
                    state,
                    reason: ending.reasonCode,
                    at: ending.settledAt ?? 0,
                    in: database
                )
            }
        }
    }

    /// Stores entries of the audit topic, together with how far its partitions have been read, in one
    /// transaction.
    ///
    /// - Parameters:
    ///   - entries: each with its place and its JSON.
    ///   - stands: the old and the new offset of each partition, by its row id.
    /// - Throws: `Overtaken` if another process has read the same records meanwhile.
    func write(
        _ entries: [(place: Int64, entry: AuditEntry, text: String)],
        _ stands: [Int64: ClosedRange<Int64>]
    ) throws {
        try self.pool.write { database in
            try Self.move(stands, in: database)
            for (place, entry, text) in entries {
                try database.execute(
                    sql:
                        "INSERT OR REPLACE INTO audit(place, at, by, action, entry, grp) VALUES (?, ?, ?, ?, ?, ?)",
                    arguments: [place, entry.at, entry.by, entry.action.rawValue, text, entry.group]
                )
            }
        }
    }
}
