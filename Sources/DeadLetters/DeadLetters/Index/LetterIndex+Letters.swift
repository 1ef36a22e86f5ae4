import GRDB

extension LetterIndex {
    private static let columns = """
        SELECT place, high, low, state, at, first, key, sources.topic, source_partition, source_offset, attempts, status,
            bytes, replays, groups.mark, groups.topic, groups.worker, groups.kind, groups.reason, groups.dialect,
            groups.replayable, groups.field
        FROM letters JOIN groups ON groups.id = letters.grp LEFT JOIN sources ON sources.id = letters.source
        """

    /// Returns the letters of a filter. Conditions on headers and payload are not applied.
    ///
    /// - Parameters:
    ///   - mark: makes the mark that a key in the filter is compared by.
    ///   - limit: the number of letters at most.
    ///   - offset: the number of letters to leave out at the beginning.
    package func letters(
        _ filter: LetterFilter,
        mark: KeyedMark,
        by order: LetterOrder = .oldest,
        limit: Int,
        offset: Int = 0
    ) throws -> [LetterView] {
        try self.pool.read { database in
            let query = try LetterQuery(filter, mark: mark, in: database)
            let rows = try Row.fetchCursor(
                database,
                sql:
                    "\(Self.columns) WHERE \(query.condition) ORDER BY \(order.sql) LIMIT \(limit) OFFSET \(offset)",
                arguments: query.arguments
            )
            var views: [LetterView] = []
            while let row = try rows.next() {
                if let view = try Self.view(row, in: database) { views.append(view) }
            }
            return views
        }
    }

    /// Returns the positions of a filter's letters, in the order of the index. Conditions on headers and
    /// payload are not applied.
    ///
    /// A caller that goes through a million letters needs no more of each than its position.
    func positions(_ filter: LetterFilter, mark: KeyedMark, limit: Int) throws -> [LetterPosition] {
        try self.pool.read { database in
            let query = try LetterQuery(filter, mark: mark, in: database)
            let places = try Int64.fetchCursor(
                database,
                sql: "SELECT place FROM letters WHERE \(query.condition) ORDER BY place LIMIT \(limit)",
                arguments: query.arguments
            )
            var positions: [LetterPosition] = []
            // The order by place keeps the letters of one partition together, so its name is looked up once.
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

    /// Returns the letters that the records of these replays became when they died again.
    ///
    /// - Parameter limit: the number of letters at most.
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

    /// Returns the number of letters of a filter. Conditions on headers and payload are not applied.
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

    /// Returns letters' ids that begin with these 4 to 32 lower-case hexadecimal digits, with or without
    /// `dl-` before them: at most two, which is enough to see that the digits are ambiguous. Any other text
    /// gives none.
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
                // Digits after the sixteenth limit the lower half, when only one upper half is possible.
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
        let id = LetterID(high: row[1], low: row[2])
        let isReplay = try self.isOfReplay(place: row[0], in: database)
        return LetterView(
            id: id,
            position: position,
            group: LetterGroup(
                topic: row[15],
                worker: row[16],
                kind: row[17],
                reason: row[18],
                dialect: row[19],
                field: row[21]
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
            replays: isReplay ? max(1, row[13]) : 0,
            ledgerReplays: try self.ledgerReplays(of: id, in: database),
            replayable: row[20]
        )
    }

    /// Returns whether the record of a letter was sent by a replay that the ledger knows. The header of a replay
    /// alone proves nothing: any publisher can write it.
    private static func isOfReplay(place: Int64, in database: Database) throws -> Bool {
        let statement = try database.cachedStatement(
            sql: """
                SELECT EXISTS(SELECT 1 FROM births JOIN replays ON replays.id = births.replay
                    WHERE births.place = ?)
                """
        )
        return try Bool.fetchOne(statement, arguments: [place]) ?? false
    }

    /// Returns the number of replays that the ledger's latest entry about a letter has; 0 without an entry.
    private static func ledgerReplays(of id: LetterID, in database: Database) throws -> Int {
        let statement = try database.cachedStatement(
            sql: "SELECT replays FROM ledger WHERE high = ? AND low = ?"
        )
        return try Int.fetchOne(statement, arguments: [id.high, id.low]) ?? 0
    }
}
