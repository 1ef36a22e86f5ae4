import GRDB
import WireFormats

extension LetterIndex {
    /// Counts the letters of a filter by a property that the index holds: key, partition or hour.
    ///
    /// - Returns: Nil for a property that only the record itself has.
    /// - Precondition: The index alone can answer the filter.
    func counts(_ filter: LetterFilter, by trait: LetterTrait, mark: KeyedMark) throws -> TraitCounts? {
        precondition(!filter.needsRecords, "headers and payloads are not in the index")
        guard let column = Self.column(of: trait) else { return nil }
        return try self.pool.read { database in
            let query = try LetterQuery(filter, mark: mark, in: database)
            let rows = try Row.fetchCursor(
                database,
                sql: """
                    SELECT \(column), count(*), sum(state = 0) AS open
                    FROM letters LEFT JOIN sources ON sources.id = letters.source
                    WHERE \(query.condition) GROUP BY 1 ORDER BY \(trait == .hour ? "1 DESC" : "open DESC, 2 DESC")
                    """,
                arguments: query.arguments
            )
            var found = TraitCounts()
            while let row = try rows.next() {
                guard found.counts.count < TraitCounts.valuesLimit else {
                    found.others += row[1] as Int
                    continue
                }
                let value = try Self.value(row, of: trait, in: database)
                found.counts.append(TraitCounts.Count(value: value, letters: row[1], open: row[2]))
            }
            return found
        }
    }

    /// The SQL of the value by which letters are counted; nil for a property that the index does not hold.
    private static func column(of trait: LetterTrait) -> String? {
        switch trait {
        case .key: "key"
        case .hour: "at / \(Self.hour)"
        // A letter's place begins with the number of its partition.
        case .partition: "coalesce(sources.topic || '/' || source_partition, place >> \(Self.offsetBits))"
        case .header, .field: nil
        }
    }

    private static func value(_ row: Row, of trait: LetterTrait, in database: Database) throws -> String {
        switch trait {
        case .key: return (row[0] as Int64?).map(KeyedMark.text) ?? TraitCounts.nothing
        case .hour: return RFC3339.string((row[0] as Int64) * Self.hour)
        case .partition:
            if case .string(let name) = (row[0] as DatabaseValue).storage { return name }
            let place = (row[0] as Int64) << Self.offsetBits
            return try self.position(of: place, in: database).map { "\($0.topic)/\($0.partition)" } ?? "?"
        case .header, .field: return TraitCounts.nothing
        }
    }
}
