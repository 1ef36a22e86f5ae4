import GRDB
import Kafka

/// A filter as an SQL condition. Every text of the user is an argument; only numbers stand in the SQL itself.
struct LetterQuery {
    /// The condition for `WHERE`, on the table `letters`.
    private(set) var condition: String
    /// The arguments of the condition, in order.
    private(set) var arguments = StatementArguments()

    /// Translates a filter. Conditions on headers and payload are not applied.
    ///
    /// - Parameter mark: makes the mark that a key in the filter is compared by.
    init(_ filter: LetterFilter, mark: KeyedMark, in database: Database) throws {
        var parts: [String] = []
        var arguments: [(any DatabaseValueConvertible)?] = []
        func among(_ column: String, _ values: [some DatabaseValueConvertible]) {
            guard !values.isEmpty else { return }
            parts.append("\(column) IN (\(values.map { _ in "?" }.joined(separator: ", ")))")
            arguments += values.map { $0 as (any DatabaseValueConvertible)? }
        }
        if filter.passesNone { parts.append("0") }
        if let groups = try Self.groups(filter, in: database) {
            // The row ids come from the index itself, so they can stand in the SQL.
            parts.append("letters.grp IN (\(groups.map(String.init).joined(separator: ", ")))")
        }
        among("letters.state", filter.states.map(\.rawValue))
        if let since = filter.since {
            parts.append("letters.at >= ?")
            arguments.append(since)
        }
        if let until = filter.until {
            parts.append("letters.at < ?")
            arguments.append(until)
        }
        if let key = filter.key {
            parts.append("letters.key = ?")
            arguments.append(mark.number(key))
        }
        var named: [String] = []
        if !filter.ids.isEmpty {
            // Ids stand in the SQL as numbers, because there may be more of them than SQLite allows as
            // arguments or as terms of one expression.
            let highs = filter.ids.map { String($0.high) }.joined(separator: ", ")
            let pairs = filter.ids.map { "(\($0.high), \($0.low))" }.joined(separator: ", ")
            named.append(
                "(letters.repeat = 0 AND letters.high IN (\(highs)) AND (letters.high, letters.low) IN (VALUES \(pairs)))"
            )
        }
        if !filter.positions.isEmpty {
            let places = try Self.places(of: filter.positions, in: database)
            named.append("letters.place IN (\(places.map(String.init).joined(separator: ", ")))")
        }
        // Copies of a letter count once. A position that the filter names finds its own copy, also a repeat.
        parts.append(named.isEmpty ? "letters.repeat = 0" : "(\(named.joined(separator: " OR ")))")
        self.condition = parts.joined(separator: " AND ")
        self.arguments = StatementArguments(arguments)
    }

    /// Returns the row ids of the groups that a filter leaves; nil if it leaves all groups.
    static func groups(_ filter: LetterFilter, in database: Database) throws -> [Int64]? {
        var parts: [String] = []
        var arguments: [(any DatabaseValueConvertible)?] = []
        for (column, values) in [
            ("topic", filter.topics), ("worker", filter.workers), ("kind", filter.classes),
            ("mark", filter.groups),
        ] where !values.isEmpty {
            parts.append("\(column) IN (\(values.map { _ in "?" }.joined(separator: ", ")))")
            arguments += values.map { $0 as (any DatabaseValueConvertible)? }
        }
        if !filter.reasons.isEmpty {
            parts.append("(\(filter.reasons.map { _ in "reason GLOB ?" }.joined(separator: " OR ")))")
            arguments += filter.reasons.map { Self.reasonPattern($0) as (any DatabaseValueConvertible)? }
        }
        if !filter.within.isEmpty {
            let patterns = filter.within.map { _ in "topic GLOB ?" }.joined(separator: " OR ")
            let patternArguments = StatementArguments(filter.within.map(Self.pattern))
            let hasOthers = try Bool.fetchOne(
                database,
                sql: "SELECT EXISTS(SELECT 1 FROM groups WHERE NOT (\(patterns)))",
                arguments: patternArguments
            )
            // Mostly the index has no other topics, and the condition would only cost time.
            if hasOthers == true {
                parts.append("(\(patterns))")
                arguments += filter.within.map { Self.pattern($0) as (any DatabaseValueConvertible)? }
            }
        }
        guard !parts.isEmpty else { return nil }
        return try Int64.fetchAll(
            database,
            sql: "SELECT id FROM groups WHERE \(parts.joined(separator: " AND "))",
            arguments: StatementArguments(arguments)
        )
    }

    /// Returns a `GLOB` pattern for a reason. A `*` at the end stands for any text, and every other character
    /// stands for itself.
    private static func reasonPattern(_ reason: String) -> String {
        let isOpen = reason.hasSuffix("*")
        return Self.literal(isOpen ? reason.dropLast() : reason[...]) + (isOpen ? "*" : "")
    }

    /// Returns a `GLOB` pattern for a topic. Each `*` stands for any text, and every other character stands
    /// for itself.
    private static func pattern(_ topic: String) -> String {
        topic.split(separator: "*", omittingEmptySubsequences: false).map(Self.literal).joined(separator: "*")
    }

    /// Escapes the characters that have a meaning in a `GLOB` pattern.
    private static func literal(_ text: Substring) -> String {
        text.map { "*?[".contains($0) ? "[\($0)]" : String($0) }.joined()
    }

    /// Returns the places of these positions in the index. Positions in partitions that the index does not
    /// know are left out.
    private static func places(of positions: [LetterPosition], in database: Database) throws -> [Int64] {
        var partitions: [TopicPartition: Int64?] = [:]
        return try positions.compactMap { position in
            guard 0..<(1 << LetterIndex.offsetBits) ~= position.offset else { return nil }
            let partition = position.topicPartition
            if partitions[partition] == nil {
                partitions[partition] = .some(
                    try Int64.fetchOne(
                        database,
                        sql: "SELECT id FROM partitions WHERE topic = ? AND partition = ?",
                        arguments: [partition.topic, partition.partition]
                    )
                )
            }
            return partitions[partition]?.map {
                LetterIndex.place(partition: $0, offset: position.offset)
            }
        }
    }
}
