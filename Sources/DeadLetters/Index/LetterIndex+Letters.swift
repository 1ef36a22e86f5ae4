import GRDB

extension LetterIndex {
    private static let columns = """
        SELECT place, high, low, state, at, first, key, sources.topic, source_partition, source_offset, attempts, status,
            bytes, replays, groups.mark, groups.topic, groups.worker, groups.kind, groups.reason, groups.dialect,
            groups.replayable
        FROM letters JOIN groups ON groups.id = letters.grp LEFT JOIN sources ON sources.id = letters.source
        """

    /// The letters that a filter leaves, without what it asks of records: the oldest first, or the newest.
    ///
    /// - Parameter after: of the order's last letter that was seen, to go on behind it.
    package func letters(
        _ filter: LetterFilter,
        mark: KeyedMark,
        newestFirst: Bool = false,
        limit: Int,
        offset: Int = 0
    ) throws -> [LetterView] {
        try self.pool.read { database in
            let query = try LetterQuery(filter, mark: mark, in: database)
            let order = newestFirst ? "at DESC, place DESC" : "at, place"
            let rows = try Row.fetchCursor(
                database,
                sql:
                    "\(Self.columns) WHERE \(query.condition) ORDER BY \(order) LIMIT \(limit) OFFSET \(offset)",
                arguments: query.arguments
            )
            var views: [LetterView] = []
            while let row = try rows.next() {
                if let view = try Self.view(row, in: database) { views.append(view) }
            }
            return views
        }
    }

    /// Where the letters lie that a filter leaves, without what it asks of records: for whoever looks at a million, and
    /// wants no more of each than that.
    func positions(_ filter: LetterFilter, mark: KeyedMark, limit: Int) throws -> [LetterPosition] {
        try self.pool.read { database in
            let query = try LetterQuery(filter, mark: mark, in: database)
            let places = try Int64.fetchCursor(
                database,
                sql: "SELECT place FROM letters WHERE \(query.condition) ORDER BY place LIMIT \(limit)",
                arguments: query.arguments
            )
            var positions: [LetterPosition] = []
            // Those of one partition follow one another, and share its name.
            var last: (partition: Int64, position: LetterPosition)?
            while let place = try places.next() {
                let partition = place >> Self.offsetBits
                if last?.partition != partition {
                    last = try Self.position(of: place, in: database).map { (partition, $0) }
                }
                guard var position = last?.position else { continue }
                position.offset = place & (1 << Self.offsetBits - 1)
                positions.append(position)
            }
            return positions
        }
    }

    /// The letters that died of these replays.
    package func letters(bornOf replays: [String], limit: Int) throws -> [LetterView] {
        guard !replays.isEmpty else { return [] }
        return try self.pool.read { database in
            let marks = replays.map { _ in "?" }.joined(separator: ", ")
            let rows = try Row.fetchAll(
                database,
                sql:
                    "\(Self.columns) WHERE repeat = 0 AND place IN (SELECT place FROM births WHERE replay IN (\(marks))) LIMIT \(limit)",
                arguments: StatementArguments(replays)
            )
            return try rows.compactMap { try Self.view($0, in: database) }
        }
    }

    /// How many letters a filter leaves, without what it asks of records.
    package func count(_ filter: LetterFilter, mark: KeyedMark) throws -> Int {
        try self.pool.read { database in
            let query = try LetterQuery(filter, mark: mark, in: database)
            return try Int.fetchOne(
                database,
                sql: "SELECT count(*) FROM letters WHERE \(query.condition)",
                arguments: query.arguments
            ) ?? 0
        }
    }

    /// Ids that begin as these digits do, as many as are needed to see that there is more than one.
    package func ids(beginningWith text: String) throws -> [LetterID] {
        let digits = text.hasPrefix("dl-") ? text.dropFirst(3) : text[...]
        guard digits.utf8.count >= 4, digits.utf8.count <= 32,
            digits.utf8.allSatisfy({
                UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || UInt8(ascii: "a")...UInt8(ascii: "f") ~= $0
            })
        else { return [] }
        let count = digits.utf8.count
        let lowest = digits + String(repeating: "0", count: 32 - count)
        let highest = digits + String(repeating: "f", count: 32 - count)
        guard let from = LetterID("dl-" + lowest), let to = LetterID("dl-" + highest) else { return [] }
        return try self.pool.read { database in
            let rows = try Row.fetchAll(
                database,
                // Digits past the sixteenth narrow the lower half, where there is only one upper half.
                sql: """
                    SELECT DISTINCT high, low FROM letters WHERE high BETWEEN ?1 AND ?2
                        AND (?5 OR low BETWEEN ?3 AND ?4) LIMIT 2
                    """,
                arguments: [from.high, to.high, from.low, to.low, count <= 16]
            )
            return rows.map { LetterID(high: $0[0], low: $0[1]) }
        }
    }

    private static func view(_ row: Row, in database: Database) throws -> LetterView? {
        guard let position = try self.position(of: row[0], in: database) else { return nil }
        let sourceTopic: String? = row[7]
        var source: LetterPosition?
        if let topic = sourceTopic, let partition: Int32 = row[8], let offset: Int64 = row[9] {
            source = LetterPosition(topic: topic, partition: partition, offset: offset)
        }
        let key: Int64? = row[6]
        return LetterView(
            id: LetterID(high: row[1], low: row[2]),
            position: position,
            group: LetterGroup(
                topic: row[15],
                worker: row[16],
                kind: row[17],
                reason: row[18],
                dialect: row[19]
            ),
            mark: row[14],
            state: LetterState(rawValue: row[3]) ?? .open,
            at: row[4],
            first: row[5],
            keyMark: key.map(KeyedMark.text),
            source: source,
            sourceTopic: sourceTopic,
            attempts: row[10],
            status: row[11],
            bytes: row[12],
            replays: row[13],
            replayable: row[20]
        )
    }
}
