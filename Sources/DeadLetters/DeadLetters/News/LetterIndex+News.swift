import GRDB

// The index keeps which events were told, so that a restart tells nothing twice and leaves nothing out. An index that is
// created again takes the groups that it finds as known.
extension LetterIndex {
    /// The number of hours of which a growing group has many letters, the current one included.
    private static let growingHours: Int64 = 2
    /// The number of hours before them that a group is compared with.
    private static let quietHours: Int64 = 22
    /// The growth of a growing group: so many times as many letters an hour as before.
    private static let growth = 5

    /// Returns the names of groups that were not there at the first call, and were not noted as told since.
    func newGroups(limit: Int) throws -> [String] {
        let isKnown = try self.pool.read { database in
            try Bool.fetchOne(database, sql: "SELECT EXISTS(SELECT 1 FROM told WHERE subject = '')") ?? false
        }
        guard isKnown else {
            try self.pool.write { database in
                try database.execute(
                    sql: "INSERT OR IGNORE INTO told(kind, subject, at) SELECT ?, mark, 0 FROM groups",
                    arguments: [LetterNews.Kind.newGroup.rawValue]
                )
                try database.execute(
                    sql: "INSERT OR IGNORE INTO told(kind, subject, at) VALUES (?, '', 0)",
                    arguments: [LetterNews.Kind.newGroup.rawValue]
                )
            }
            return []
        }
        return try self.pool.read { database in
            try String.fetchAll(
                database,
                sql: """
                    SELECT mark FROM groups
                    WHERE NOT EXISTS (SELECT 1 FROM told WHERE kind = ? AND subject = mark) LIMIT ?
                    """,
                arguments: [LetterNews.Kind.newGroup.rawValue, limit]
            )
        }
    }

    /// Returns the names of groups that are older than two hours, have open letters, and have at least so many letters in
    /// the last two hours, which is at least five times what they had before.
    ///
    /// - Parameters:
    ///   - least: the number of letters from which a group can count as growing.
    ///   - now: the time in milliseconds since 1970.
    func growingGroups(least: Int, now: Int64) throws -> [(mark: String, letters: Int)] {
        let hour = now / Self.hour
        let (recent, before) = (hour - Self.growingHours, hour - Self.growingHours - Self.quietHours)
        return try self.pool.read { database in
            let rows = try Row.fetchAll(
                database,
                sql: """
                    SELECT groups.mark, counts.recent FROM (
                        SELECT grp, sum(iif(hour > ?1, count, 0)) AS recent, sum(iif(hour > ?1, open, 0)) AS open,
                            sum(iif(hour <= ?1 AND hour > ?2, count, 0)) AS past, min(hour) AS oldest
                        FROM buckets WHERE hour <= ?3 GROUP BY grp) AS counts
                    JOIN groups ON groups.id = counts.grp
                    WHERE counts.recent >= ?4 AND counts.open > 0 AND counts.oldest <= ?1
                        AND counts.recent * ?5 >= counts.past * ?6
                    """,
                arguments: [
                    recent, before, hour, least, Self.quietHours, Int64(Self.growth) * Self.growingHours,
                ]
            )
            return rows.map { (mark: $0[0], letters: $0[1]) }
        }
    }

    /// Returns the events that were not told, or so long ago that they are news again.
    func untold(_ news: [LetterNews], now: Int64) throws -> [LetterNews] {
        try self.pool.read { database in
            try news.filter { event in
                let at = try Int64.fetchOne(
                    database,
                    sql: "SELECT at FROM told WHERE kind = ? AND subject = ?",
                    arguments: [event.kind.rawValue, event.subject]
                )
                guard let at else { return true }
                return event.kind.staleness.map { now - at >= $0 } ?? false
            }
        }
    }

    /// Notes that events were told.
    func noteTold(_ news: [LetterNews], at now: Int64) throws {
        try self.pool.write { database in
            for event in news {
                try database.execute(
                    sql: "INSERT OR REPLACE INTO told(kind, subject, at) VALUES (?, ?, ?)",
                    arguments: [event.kind.rawValue, event.subject, now]
                )
            }
        }
    }
}
