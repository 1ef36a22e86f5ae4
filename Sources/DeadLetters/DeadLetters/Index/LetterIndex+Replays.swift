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

    /// A replay that the ledger has an entry of.
    struct KnownReplay {
        /// The letter that was replayed.
        var letter: LetterID
        var state: LetterState
        /// The topic that the record was sent to.
        var target: String
        /// The place of the record in `target`; nil if the entry does not tell it.
        var sentTo: String?

        /// Whether this may be the record that the replay sent.
        func isOf(_ record: SettledRecord) -> Bool { record.isOfReplay(to: self.target, at: self.sentTo) }
    }

    /// Returns a replay; nil if the ledger's entry of it was not read yet.
    static func knownReplay(_ replay: String, in database: Database) throws -> KnownReplay? {
        let statement = try database.cachedStatement(
            sql: "SELECT high, low, state, target, sent_to FROM replays WHERE id = ?"
        )
        return try Row.fetchOne(statement, arguments: [replay]).map { row in
            KnownReplay(
                letter: LetterID(high: row[0], low: row[1]),
                state: LetterState(rawValue: row[2]) ?? .replayed,
                target: row[3],
                sentTo: row[4]
            )
        }
    }

    /// Stores how a replay ended, unless the ending is about another record than the replay's.
    ///
    /// The first ending stays, but a success replaces every other one. A worker that is killed before its commit handles
    /// the record again, and its upstream may take then what it has refused before. An ending that is read before the
    /// ledger's entry of the replay is kept until the entry is read.
    ///
    /// - Parameters:
    ///   - record: the record that has ended.
    ///   - at: the time of the ending, in milliseconds since 1970.
    static func settle(
        _ replay: String,
        _ state: LetterState,
        of record: SettledRecord,
        reason: String?,
        at: Int64,
        in database: Database
    ) throws {
        guard let known = try self.knownReplay(replay, in: database) else {
            return try self.keep(state, record, of: replay, reason: reason, at: at, in: database)
        }
        guard known.isOf(record),
            known.state == .replayed || state == .succeeded && known.state != .succeeded
        else { return }
        try database.execute(
            sql: "UPDATE replays SET state = ?, reason = ?, settled = ? WHERE id = ?",
            arguments: [state.rawValue, reason, at, replay]
        )
        // The state of a letter follows its latest replay only.
        let id = known.letter
        try database.execute(
            sql: "UPDATE ledger SET state = ? WHERE high = ? AND low = ? AND replay = ?",
            arguments: [state.rawValue, id.high, id.low, replay]
        )
        if database.changesCount == 1 { try self.change(id, to: state, in: database) }
        if state == .succeeded { try self.spreadSuccess(from: id, in: database) }
    }

    /// The number of endings that are kept of a replay without an entry in the ledger. Any publisher can write the id of a
    /// replay on its records, and each of these ends.
    private static let endingsLimit = 16

    /// Keeps an ending until the ledger's entry of its replay is read.
    private static func keep(
        _ state: LetterState,
        _ record: SettledRecord,
        of replay: String,
        reason: String?,
        at: Int64,
        in database: Database
    ) throws {
        let claim = try record.json
        try database.execute(
            sql: """
                INSERT INTO endings(replay, state, record, reason, at) SELECT ?1, ?2, ?3, ?4, ?5
                WHERE (SELECT count(*) FROM endings WHERE replay = ?1) < ?6 ON CONFLICT DO NOTHING
                """,
            arguments: [replay, state.rawValue, claim, reason, at, Self.endingsLimit]
        )
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
        try self.spreadSuccess(from: letter, in: database)
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
                INSERT INTO replays(id, batch, high, low, by, at, because, target, sent_to, edited, state)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
                """,
            arguments: [
                replay, entry.batch, id.high, id.low, entry.by, entry.at, entry.because, entry.target ?? "",
                entry.sentTo?.description, entry.edited, LetterState.replayed.rawValue,
            ]
        )
        try self.confirmBirths(of: replay, in: database)
        try self.takeEndings(of: replay, in: database)
        try self.recall(replay, of: id, in: database)
    }

    /// Settles a replay by the endings that were read before the ledger's entry of it, in the order in which they came.
    private static func takeEndings(of replay: String, in database: Database) throws {
        let endings = try Row.fetchAll(
            database,
            sql: "SELECT state, record, reason, at FROM endings WHERE replay = ? ORDER BY rowid",
            arguments: [replay]
        )
        guard !endings.isEmpty else { return }
        try database.execute(sql: "DELETE FROM endings WHERE replay = ?", arguments: [replay])
        for ending in endings {
            guard let state = LetterState(rawValue: ending[0]), let record = SettledRecord(json: ending[1])
            else { continue }
            try self.settle(replay, state, of: record, reason: ending[2], at: ending[3], in: database)
        }
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
                    of: ending.record,
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
