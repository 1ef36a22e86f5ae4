import GRDB

// The record of a replay that dies again becomes a letter of its own. So one record can have several letters, and a success
// of any of their replays is the success of all: another replay would have the upstream do its work a second time.
extension LetterIndex {
    /// The beginning of a query with the table `family`: the ids of all letters of one record, of which the first two
    /// arguments are one.
    private static let family = """
        WITH RECURSIVE family(high, low) AS (
            SELECT ?1, ?2
            UNION
            SELECT births.high, births.low FROM family
                CROSS JOIN replays ON replays.high = family.high AND replays.low = family.low
                CROSS JOIN births ON births.replay = replays.id
            UNION
            SELECT replays.high, replays.low FROM family
                CROSS JOIN births ON births.high = family.high AND births.low = family.low
                CROSS JOIN replays ON replays.id = births.replay
        )
        """

    /// A replay that has succeeded.
    struct Success {
        /// The user who replayed.
        var by: String
        /// The time of the replay, in milliseconds since 1970.
        var at: Int64
        /// The reason that the user gave.
        var because: String
    }

    /// Returns the latest replay that has succeeded, among those of all letters of a letter's record; nil if none has.
    static func success(of letter: LetterID, in database: Database) throws -> Success? {
        let statement = try database.cachedStatement(
            sql: """
                \(Self.family)
                SELECT replays.by, replays.at, replays.because FROM family
                    CROSS JOIN replays ON replays.high = family.high AND replays.low = family.low
                WHERE replays.state = ?3 ORDER BY replays.at DESC LIMIT 1
                """
        )
        let row = try Row.fetchOne(
            statement,
            arguments: [letter.high, letter.low, LetterState.succeeded.rawValue]
        )
        return row.map { Success(by: $0[0], at: $0[1], because: $0[2]) }
    }

    /// Gives the state `succeeded` to those letters of a letter's record that were born of a replay and that no user has
    /// acted on, if any replay of the record has succeeded.
    static func spreadSuccess(from letter: LetterID, in database: Database) throws {
        guard try self.success(of: letter, in: database) != nil else { return }
        let rows = try Row.fetchAll(
            database,
            sql: """
                \(Self.family)
                SELECT DISTINCT births.high, births.low FROM family
                    CROSS JOIN replays ON replays.high = family.high AND replays.low = family.low
                    CROSS JOIN births ON births.replay = replays.id
                WHERE NOT EXISTS(
                    SELECT 1 FROM ledger WHERE ledger.high = births.high AND ledger.low = births.low)
                """,
            arguments: [letter.high, letter.low]
        )
        for row in rows {
            try self.change(LetterID(high: row[0], low: row[1]), to: .succeeded, in: database)
        }
    }

    /// Stores that the record of a replay became a letter, which is how that replay ended, also where no results are
    /// published. Does nothing if the letter is about another record than the replay's.
    ///
    /// - Parameters:
    ///   - record: the record that died.
    ///   - replay: the id of the replay, as the letter's headers claim.
    ///   - place: the place of the letter in the index.
    ///   - at: the time of the letter, in milliseconds since 1970.
    /// - Returns: whether the ledger knows the replay, and the letter may be about its record.
    static func noteBirth(
        of letter: LetterID,
        _ record: SettledRecord,
        replay: String,
        place: Int64,
        at: Int64,
        in database: Database
    ) throws -> Bool {
        let known = try self.knownReplay(replay, in: database)
        if let known, !known.isOf(record) { return false }
        try self.settle(replay, .deadAgain, of: record, reason: nil, at: at, in: database)
        // Without the ledger's entry nobody knows yet whether the letter is of that replay.
        let claim: String? = try known == nil ? record.json : nil
        try database.execute(
            sql: "INSERT OR IGNORE INTO births(replay, place, high, low, record) VALUES (?, ?, ?, ?, ?)",
            arguments: [replay, place, letter.high, letter.low, claim]
        )
        return known != nil
    }

    /// Looks at the letters that name a replay, now that the ledger's entry of it is known: forgets what those claim that are
    /// about other records.
    static func confirmBirths(of replay: String, in database: Database) throws {
        let rows = try Row.fetchAll(
            database,
            sql: "SELECT place, record FROM births WHERE replay = ?",
            arguments: [replay]
        )
        guard !rows.isEmpty, let known = try self.knownReplay(replay, in: database) else { return }
        for row in rows {
            let json: String? = row[1]
            guard let record = json.flatMap({ SettledRecord(json: $0) }), !known.isOf(record) else {
                continue
            }
            try database.execute(
                sql: "DELETE FROM births WHERE replay = ? AND place = ?",
                arguments: [replay, row[0] as Int64]
            )
        }
        try self.spreadSuccess(from: known.letter, in: database)
    }

    /// Whether the record of a letter was sent by a replay that the ledger knows.
    static func isBorn(_ letter: LetterID, in database: Database) throws -> Bool {
        let statement = try database.cachedStatement(
            sql: """
                SELECT EXISTS(SELECT 1 FROM births JOIN replays ON replays.id = births.replay
                    WHERE births.high = ? AND births.low = ?)
                """
        )
        return try Bool.fetchOne(statement, arguments: [letter.high, letter.low]) ?? false
    }
}
