import GRDB

extension LetterIndex {
    /// An hour in milliseconds.
    static let hour: Int64 = 3_600_000

    /// Returns a page of the groups of a filter, with the totals of all its groups.
    ///
    /// - Parameters:
    ///   - now: the time in milliseconds since 1970. The counts by hour end with the hour of this time.
    ///   - order: which groups come first.
    ///   - offset: the number of groups before the page.
    ///   - limit: the number of groups on the page at most. Totals and shares count all groups.
    /// - Precondition: The index alone can answer the filter: it has no condition on headers or payloads.
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
            let (assignees, notes) = (try Self.assignees(in: database), try Self.noteCounts(in: database))
            for place in page.groups.indices {
                page.groups[place].assignee = assignees[page.groups[place].mark]
                page.groups[place].notes = notes[page.groups[place].mark] ?? 0
            }
            return page
        }
    }

    /// Whether a group comes before another one in this order.
    private static func comes(_ one: Count, before other: Count, by order: GroupOrder) -> Bool {
        switch order {
        case .size: (one.count, other.group) > (other.count, one.group)
        case .open: (one.open, one.count, other.group) > (other.open, other.count, one.group)
        }
    }

    /// The numbers of one group.
    private struct Count {
        var group: Int64
        var count: Int
        var open: Int
        var first: Int64
        var last: Int64
        /// The time of the oldest open letter. If only the counts by hour were read, the time of the first
        /// letter of its hour.
        var oldestOpen: Int64?
    }

    /// Counts the letters of each group. A filter that only chooses groups is answered by the counts by hour;
    /// any other one needs a look at each letter.
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

    /// Returns for each group the numbers of letters in the 24 hours that end with the hour of `now`, the
    /// oldest first.
    private static func lastDay(
        of groups: Set<Int64>,
        now: Int64,
        in database: Database
    ) throws -> [Int64: [Int]] {
        let current = now / Self.hour
        // Up to 1,000 groups are looked up by their ids; for more, one scan of the whole table is faster.
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

    /// Returns a group as it is shown; nil if the index does not have it.
    private static func view(_ count: Count, of letters: Int, _ day: [Int]?, in database: Database) throws
        -> GroupView?
    {
        let statement = try database.cachedStatement(
            sql:
                "SELECT mark, topic, worker, kind, reason, dialect, replayable, sample, field FROM groups WHERE id = ?"
        )
        guard let row = try Row.fetchOne(statement, arguments: [count.group]) else { return nil }
        return GroupView(
            group: LetterGroup(
                topic: row[1],
                worker: row[2],
                kind: row[3],
                reason: row[4],
                dialect: row[5],
                field: row[8]
            ),
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

    /// Returns the position that a place of the index stands for; nil for an unknown partition.
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
    /// Whether the filter's conditions depend on nothing but a letter's group.
    var looksAtGroupsOnly: Bool {
        self.ids.isEmpty && self.positions.isEmpty && self.states.isEmpty && self.since == nil
            && self.until == nil
            && self.key == nil && !self.needsRecords && !self.passesNone
    }
}
