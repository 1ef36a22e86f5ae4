import GRDB

// A worker that crashes between a letter and its commit writes the letter again: two records with one id. Both are kept,
// because the broker may delete the first before the second, and one of them in each topic is counted. The others are
// repeats.
extension LetterIndex {
    /// A copy in another topic of dead letters is no repeat: somebody may look at that topic alone.
    private static func topic(of letter: String) -> String {
        "(SELECT topic FROM groups WHERE id = \(letter).grp)"
    }

    /// Whether a letter of this topic is there already.
    static func isThere(_ id: LetterID, in topic: String, _ database: Database) throws -> Bool {
        let statement = try database.cachedStatement(
            sql: """
                SELECT EXISTS(SELECT 1 FROM letters WHERE high = ? AND low = ?
                    AND \(Self.topic(of: "letters")) = ?)
                """
        )
        return try Bool.fetchOne(statement, arguments: [id.high, id.low, topic]) ?? false
    }

    /// Whether letters can be looked up by their ids.
    static func knowsIDs(in database: Database) throws -> Bool {
        try Bool.fetchOne(
            database,
            sql: "SELECT EXISTS(SELECT 1 FROM sqlite_master WHERE name = 'letters_high')"
        ) ?? false
    }

    /// After the first look letters are looked up by their ids, and what was written more than once is counted once.
    ///
    /// Not from the beginning: a million ids in their own order are sorted in a second, and inserted in many.
    func indexLetterIDs() throws {
        let isNeeded = try self.pool.read { database in
            try !Self.knowsIDs(in: database)
                && Bool.fetchOne(database, sql: "SELECT EXISTS(SELECT 1 FROM letters)") ?? false
        }
        guard isNeeded else { return }
        try self.pool.write { database in
            // Another process may have been faster.
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

    /// Takes the letters of a condition out of their groups' counts.
    ///
    /// - Parameter repeats: whether the condition is about repeats that have been counted, as they are until their
    ///   letters are known by their ids; those of the usual kind have not been.
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

    /// Repeats outside of these places whose letters are counted inside: they are counted when those are gone.
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

    /// Counts repeats as the letters that they are from now on.
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
