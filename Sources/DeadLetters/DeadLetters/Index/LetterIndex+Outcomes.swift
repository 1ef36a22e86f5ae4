import GRDB

extension LetterIndex {
    /// Returns the commands that replayed letters, the latest first.
    ///
    /// - Parameters:
    ///   - limit: the number of commands at most.
    ///   - batch: the batch id of the only command to return; nil for all.
    package func batches(limit: Int, batch: String? = nil) throws -> [BatchView] {
        try self.pool.read { database in
            let rows = try Row.fetchAll(
                database,
                sql: """
                    SELECT batch, min(by), min(because), min(at), group_concat(DISTINCT target) FROM replays
                    WHERE ?1 IS NULL OR batch = ?1 GROUP BY batch ORDER BY min(at) DESC LIMIT ?2
                    """,
                arguments: [batch, limit]
            )
            return try rows.map { row in
                let counts = try Row.fetchAll(
                    database,
                    sql: "SELECT state, count(*) FROM replays WHERE batch = ? GROUP BY state",
                    arguments: [row[0] as String]
                )
                let targets: String = row[4] ?? ""
                return BatchView(
                    batch: row[0],
                    by: row[1],
                    because: row[2],
                    at: row[3],
                    targets: targets.split(separator: ",").map(String.init),
                    counts: Dictionary(
                        counts.compactMap { row in LetterState(rawValue: row[0]).map { ($0, row[1]) } }
                    ) { $1 }
                )
            }
        }
    }

    /// Returns the replays of a command or of a letter: those that have not succeeded first, and the latest
    /// first among each.
    ///
    /// - Parameters:
    ///   - batch: the batch id of the command; nil for any.
    ///   - letter: the id of the letter; nil for any.
    ///   - limit: the number of replays at most.
    package func replays(batch: String? = nil, letter: LetterID? = nil, limit: Int) throws -> [ReplayView] {
        try self.pool.read { database in
            let rows = try Row.fetchAll(
                database,
                sql: """
                    SELECT id, batch, high, low, by, because, at, target, edited, state, reason, settled FROM replays
                    WHERE (?1 IS NULL OR batch = ?1) AND (?2 IS NULL OR (high = ?2 AND low = ?3))
                    ORDER BY state = 2, at DESC, id LIMIT ?4
                    """,
                arguments: [batch, letter?.high, letter?.low, limit]
            )
            return rows.map { row in
                ReplayView(
                    id: row[0],
                    batch: row[1],
                    letter: LetterID(high: row[2], low: row[3]),
                    by: row[4],
                    because: row[5],
                    at: row[6],
                    target: row[7],
                    edited: row[8],
                    state: LetterState(rawValue: row[9]) ?? .replayed,
                    reason: row[10],
                    settled: row[11]
                )
            }
        }
    }

    /// Whether the index has read the ledger's entry of this replay.
    func knows(replay: String?) throws -> Bool {
        try self.pool.read { database in
            try Bool.fetchOne(
                database,
                sql: "SELECT EXISTS(SELECT 1 FROM replays WHERE id = ?)",
                arguments: [replay]
            ) ?? false
        }
    }

    /// Returns the ledger's latest entry about a letter, with the outcome of its replay; nil if there is
    /// none, and no replay of the letter's record has succeeded either.
    package func ledgerStanding(of letter: LetterID) throws -> LedgerStanding? {
        try self.pool.read { try Self.ledgerStanding(of: letter, in: $0) }
    }

    /// Returns the ledger's latest entry about a letter, within a read of the index.
    static func ledgerStanding(of letter: LetterID, in database: Database) throws -> LedgerStanding? {
        let statement = try database.cachedStatement(
            sql: "SELECT state, replays, by, at, because FROM ledger WHERE high = ? AND low = ?"
        )
        guard let row = try Row.fetchOne(statement, arguments: [letter.high, letter.low]) else {
            return try self.inheritedStanding(of: letter, in: database)
        }
        return LedgerStanding(
            state: LetterState(rawValue: row[0]) ?? .replayed,
            replays: row[1],
            by: row[2],
            at: row[3],
            because: row[4],
            hasSucceeded: try self.success(of: letter, in: database) != nil
        )
    }

    /// Returns the standing of a letter that the ledger has no entry about, and whose record another letter's replay has
    /// brought to success; nil for any other letter.
    private static func inheritedStanding(of letter: LetterID, in database: Database) throws
        -> LedgerStanding?
    {
        guard try self.isBorn(letter, in: database), let success = try self.success(of: letter, in: database)
        else { return nil }
        return LedgerStanding(
            state: .succeeded,
            replays: 0,
            by: success.by,
            at: success.at,
            because: success.because,
            hasSucceeded: true
        )
    }

    /// Returns entries of the audit trail as JSON, the latest first.
    ///
    /// - Parameters:
    ///   - limit: the number of entries at most.
    ///   - offset: the number of later entries to leave out.
    package func audit(limit: Int, offset: Int = 0) throws -> [String] {
        try self.pool.read { database in
            try String.fetchAll(
                database,
                sql: "SELECT entry FROM audit ORDER BY at DESC, place DESC LIMIT ? OFFSET ?",
                arguments: [limit, offset]
            )
        }
    }
}
