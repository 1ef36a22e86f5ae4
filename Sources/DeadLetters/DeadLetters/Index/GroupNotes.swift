import GRDB

/// The words of the team about a group of letters: its notes, and who looks after it. The audit trail has them.
package struct GroupNotes: Hashable, Sendable {
    /// A note on a group.
    package struct Note: Hashable, Sendable {
        /// The time of the note, in milliseconds since 1970.
        package var at: Int64
        /// The name of the user who wrote it.
        package var by: String
        /// The text. Anybody with access to the audit topic may have written it.
        package var text: String
    }

    /// The name of whoever looks after the group; nil for nobody.
    package var assignee: String?
    /// The notes, the latest first.
    package var notes: [Note] = []
}

extension LetterIndex {
    /// Returns the notes on a group, and who looks after it.
    ///
    /// - Parameters:
    ///   - mark: the name of the group, such as `g-0123456789`.
    ///   - limit: the number of notes at most.
    package func notes(on mark: String, limit: Int = 100) throws -> GroupNotes {
        try self.pool.read { database in
            let texts = try String.fetchAll(
                database,
                sql: """
                    SELECT entry FROM audit WHERE grp = ? AND action = ? ORDER BY at DESC, place DESC LIMIT ?
                    """,
                arguments: [mark, AuditEntry.Action.note.rawValue, limit]
            )
            return GroupNotes(
                assignee: try Self.assignees(of: mark, in: database)[mark],
                notes: texts.compactMap { AuditEntry(json: Array($0.utf8)) }
                    .map { GroupNotes.Note(at: $0.at, by: $0.by, text: $0.because) }
            )
        }
    }

    /// Returns the name that the latest `assign` of each group gives, by the name of the group. A group that nobody looks
    /// after is left out.
    ///
    /// - Parameter mark: the name of the only group to look at; nil for all groups.
    static func assignees(of mark: String? = nil, in database: Database) throws -> [String: String] {
        let rows = try Row.fetchCursor(
            database,
            sql: """
                SELECT grp, entry FROM audit WHERE grp IS NOT NULL AND (?1 IS NULL OR grp = ?1) AND action = ?2
                ORDER BY at, place
                """,
            arguments: [mark, AuditEntry.Action.assign.rawValue]
        )
        var names: [String: String] = [:]
        while let row = try rows.next() {
            let (group, entry): (String, String) = (row[0], row[1])
            names[group] = AuditEntry(json: Array(entry.utf8))?.assignee
        }
        return names
    }

    /// Returns the number of notes on each group that has any, by the name of the group.
    static func noteCounts(in database: Database) throws -> [String: Int] {
        let rows = try Row.fetchAll(
            database,
            sql: "SELECT grp, count(*) FROM audit WHERE grp IS NOT NULL AND action = ? GROUP BY grp",
            arguments: [AuditEntry.Action.note.rawValue]
        )
        return Dictionary(uniqueKeysWithValues: rows.map { ($0[0], $0[1]) })
    }
}
