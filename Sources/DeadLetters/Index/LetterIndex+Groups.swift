import GRDB

extension LetterIndex {
    private static let hour: Int64 = 3_600_000

    /// A page of the groups that a filter leaves, and what all of them add up to.
    ///
    /// - Parameters:
    ///   - now: milliseconds since 1970; the last day ends with the hour that this is in.
    ///   - order: which groups come first.
    ///   - offset: of groups before the page.
    ///   - limit: of groups on the page. Counts and shares are of all.
    /// - Precondition: The filter is one that the index alone can answer.
    package func groups(
        _ filter: LetterFilter,
        mark: KeyedMark,
        now: Int64,
        by order: GroupOrder = .size,
        offset: Int = 0,
        limit: Int = .max
    ) throws -> GroupPage {
        precondition(!filter.needsRecords, "headers and payloads are not in the index")
        return try self.pool.read { database in
            let counts = try Self.counts(filter, mark: mark, in: database)
            var page = GroupPage()
            page.total = counts.count
            page.letters = counts.reduce(0) { $0 + $1.count }
            page.open = counts.reduce(0) { $0 + $1.open }
            page.oldestOpen = counts.compactMap(\.oldestOpen).min()
            let shown = counts.sorted { Self.comes($0, before: $1, by: order) }
                .dropFirst(offset).prefix(limit)
            let days = try Self.lastDay(of: Set(shown.map(\.group)), now: now, in: database)
            page.groups = try shown.compactMap { count in
                try Self.view(count, of: page.letters, days[count.group], in: database)
            }
            return page
        }
    }

    private static func comes(_ one: Count, before other: Count, by order: GroupOrder) -> Bool {
        switch order {
        case .size: (one.count, other.group) > (other.count, one.group)
        case .open: (one.open, one.count, other.group) > (other.open, other.count, one.group)
        }
    }

    private struct Count {
        var group: Int64
        var count: Int
        var open: Int
        var first: Int64
        var last: Int64
        /// To the hour where only hours were looked at.
        var oldestOpen: Int64?
    }

    /// From the hours' counts where those can tell; letter by letter where a filter looks closer.
    private static func counts(_ filter: LetterFilter, mark: KeyedMark, in database: Database) throws
        -> [Count]
    {
        let rows: [Row]
        if filter.looksAtGroupsOnly {
            let groups = try LetterQuery.groups(filter, in: database)
            let condition =
                groups.map { "WHERE grp IN (\($0.map(String.init).joined(separator: ", ")))" } ?? ""
            rows = try Row.fetchAll(
                database,
                sql: """
                    SELECT grp, sum(count), sum(open), min(first), max(last), min(iif(open > 0, first, NULL))
                    FROM buckets \(condition) GROUP BY grp
                    """
            )
        } else {
            let query = try LetterQuery(filter, mark: mark, in: database)
            rows = try Row.fetchAll(
                database,
                sql: """
                    SELECT grp, count(*), sum(state = 0), min(at), max(at), min(iif(state = 0, at, NULL))
                    FROM letters WHERE \(query.condition) GROUP BY grp
                    """,
                arguments: query.arguments
            )
        }
        return rows.map {
            Count(group: $0[0], count: $0[1], open: $0[2], first: $0[3], last: $0[4], oldestOpen: $0[5])
        }
    }

    private static func lastDay(
        of groups: Set<Int64>,
        now: Int64,
        in database: Database
    ) throws -> [Int64: [Int]] {
        let current = now / Self.hour
        // A few are looked up by their key; for many, one look at everything is faster.
        let few =
            groups.count <= 1_000 ? "grp IN (\(groups.map(String.init).joined(separator: ", "))) AND" : ""
        let rows = try Row.fetchCursor(
            database,
            sql: "SELECT grp, hour, count FROM buckets WHERE \(few) hour > ? AND hour <= ?",
            arguments: [current - 24, current]
        )
        var days: [Int64: [Int]] = [:]
        while let row = try rows.next() {
            let (group, hour, count): (Int64, Int64, Int) = (row[0], row[1], row[2])
            guard groups.contains(group) else { continue }
            let place = Int(hour - current + 23)
            guard (0..<24).contains(place) else { continue }
            days[group, default: [Int](repeating: 0, count: 24)][place] += count
        }
        return days
    }

    private static func view(_ count: Count, of letters: Int, _ day: [Int]?, in database: Database) throws
        -> GroupView?
    {
        let statement = try database.cachedStatement(
            sql:
                "SELECT mark, topic, worker, kind, reason, dialect, replayable, sample FROM groups WHERE id = ?"
        )
        guard let row = try Row.fetchOne(statement, arguments: [count.group]) else { return nil }
        return GroupView(
            group: LetterGroup(topic: row[1], worker: row[2], kind: row[3], reason: row[4], dialect: row[5]),
            mark: row[0],
            count: count.count,
            open: count.open,
            first: count.first,
            last: count.last,
            share: letters == 0 ? 0 : Double(count.count) / Double(letters),
            replayable: row[6],
            sample: try self.position(of: row[7], in: database),
            lastDay: day ?? [Int](repeating: 0, count: 24)
        )
    }

    static func position(of place: Int64, in database: Database) throws -> LetterPosition? {
        let statement = try database.cachedStatement(
            sql: "SELECT topic, partition FROM partitions WHERE id = ?"
        )
        let row = try Row.fetchOne(statement, arguments: [place >> Self.offsetBits])
        return row.map {
            LetterPosition(topic: $0[0], partition: $0[1], offset: place & (1 << Self.offsetBits - 1))
        }
    }
}

extension LetterFilter {
    /// Whether it says no more than which groups are meant.
    var looksAtGroupsOnly: Bool {
        self.ids.isEmpty && self.positions.isEmpty && self.states.isEmpty && self.since == nil
            && self.until == nil
            && self.key == nil && !self.needsRecords
    }
}
