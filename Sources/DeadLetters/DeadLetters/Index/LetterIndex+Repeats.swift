import GRDB

// A worker that crashes after writing a letter and before its commit writes the letter again, so two records
// have one id. The index keeps both, because the broker may delete the first before the second. In each topic
// one of them is counted, and the others are marked as repeats.
extension LetterIndex {
    /// The SQL for the topic of a letter. Copies in different topics of dead letters are no repeats, because
    /// a user may look at one of the topics alone.
    private static func topic(of letter: String) -> String {
        "(SELECT topic FROM groups WHERE id = \(letter).grp)"
    }

    /// Whether the index has a letter of this id in this topic.
    static func isThere(_ id: LetterID, in topic: String, _ database: Database) throws -> Bool {
        let statement = try database.cachedStatement(
            sql: """
                SELECT EXISTS(SELECT 1 FROM letters WHERE high = ? AND low = ?
                    AND \(Self.topic(of: "letters")) = ?)
                """
        )
        return try Bool.fetchOne(statement, arguments: [id.high, id.low, topic]) ?? false
    }

    /// Whether letters can be looked up by their ids: `indexLetterIDs` has run.
    static func knowsIDs(in database: Database) throws -> Bool {
        try Bool.fetchOne(
            database,
            sql: "SELECT EXISTS(SELECT 1 FROM sqlite_master WHERE name = 'letters_high')"
        ) ?? false
    }

    /// Builds the SQL index of the letters' ids once, and finds the repeats among the letters that were read
    /// until then.
    ///
    /// The SQL index is not there from the beginning, because a million ids are sorted in one second, while
    /// inserting them one by one in their random order takes many.
    func indexLetterIDs() throws {
        let isNeeded = try self.pool.read { database in
            try !Self.knowsIDs(in: database)
                && Bool.fetchOne(database, sql: "SELECT EXISTS(SELECT 1 FROM letters)") ?? false
        }
        guard isNeeded else { return }
        try self.pool.write { database in
            // The SQL index may have been built by another process since the check above.
            guard try !Self.knowsIDs(in: database) else { return }
            try database.execute(sql: "CREATE INDEX letters_high ON letters(high)")
            try database.execute(
                sql: """
                    UPDATE letters SET repeat = 1
                    WHERE high IN (SELECT high FROM letters GROUP BY high HAVING count(*) > 1) AND EXISTS(
                        SELECT 1 FROM letters AS first WHERE first.high = letters.high AND first.low = letters.low
                            AND first.place < letters.place
                            AND \(Self.topic(of: "first")) = \(Self.topic(of: "letters")))
                    """
            )
            try Self.uncount("repeat = 1", [], repeats: true, in: database)
            try database.execute(sql: "DELETE FROM buckets WHERE count <= 0")
        }
    }

    /// Takes the letters that meet a condition out of the counts of their groups.
    ///
    /// - Parameters:
    ///   - condition: the condition as SQL, with a `?` for each argument.
    ///   - repeats: whether to take out letters that are marked as repeats. They are in the counts only if
    ///     they were counted before they were found to be repeats, which happens in `indexLetterIDs`.
    static func uncount(
        _ condition: String,
        _ arguments: StatementArguments,
        repeats: Bool = false,
        in database: Database
    ) throws {
        try database.execute(
            sql: """
                UPDATE buckets SET count = buckets.count - gone.count, open = buckets.open - gone.open
                FROM (SELECT grp, at / 3600000 AS hour, count(*) AS count, sum(state = 0) AS open FROM letters
                      WHERE \(condition) AND repeat = \(repeats ? 1 : 0) GROUP BY 1, 2) AS gone
                WHERE buckets.grp = gone.grp AND buckets.hour = gone.hour
                """,
            arguments: arguments
        )
    }

    /// Returns repeats outside of a range of places whose counted copies lie inside it. They are to be
    /// counted once the range is removed.
    static func heirs(of places: Range<Int64>, in database: Database) throws -> [Int64] {
        try Int64.fetchAll(
            database,
            sql: """
                SELECT min(place) FROM letters AS heir
                WHERE repeat = 1 AND NOT (place >= ?1 AND place < ?2) AND EXISTS(
                    SELECT 1 FROM letters WHERE high = heir.high AND low = heir.low AND repeat = 0
                        AND place >= ?1 AND place < ?2
                        AND \(Self.topic(of: "letters")) = \(Self.topic(of: "heir")))
                GROUP BY high, low, \(Self.topic(of: "heir"))
                """,
            arguments: [places.lowerBound, places.upperBound]
        )
    }

    /// Counts these repeats as letters of their own from now on.
    static func count(_ heirs: [Int64], in database: Database) throws {
        for place in heirs {
            try database.execute(sql: "UPDATE letters SET repeat = 0 WHERE place = ?", arguments: [place])
            try database.execute(
                sql: """
                    INSERT INTO buckets(grp, hour, count, open, first, last)
                    SELECT grp, at / 3600000, 1, state = 0, at, at FROM letters WHERE place = ?
                    ON CONFLICT(grp, hour) DO UPDATE SET count = count + 1, open = open + excluded.open,
                        first = min(first, excluded.first), last = max(last, excluded.last)
                    """,
                arguments: [place]
            )
        }
    }
}
