// Notes on groups of letters, and who looks after each. They are entries of the audit trail, so that everybody sees the
// same ones, and nobody can take one back unseen.
extension Desk {
    /// The length of a note at most, in bytes.
    package static let longestNote = 1_000
    /// The length of the name of whoever looks after a group at most, in bytes.
    package static let longestAssignee = 128

    /// Writes a note on a group, in the name of the user.
    ///
    /// - Parameters:
    ///   - text: 1 to 1,000 bytes, not only white space.
    ///   - group: the name of the group, such as `g-0123456789`.
    /// - Throws: `NoSuchGroup`, `UnfitText`; `KafkaError` if the broker does not acknowledge the entry.
    package func note(_ text: String, on group: String) throws {
        guard (1...Self.longestNote).contains(text.utf8.count), text.contains(where: { !$0.isWhitespace })
        else {
            throw UnfitText(description: "a note has 1 to \(Self.longestNote) bytes")
        }
        try self.say(.note, text, of: group, assignee: nil)
    }

    /// Says who looks after a group, in the name of the user.
    ///
    /// - Parameters:
    ///   - name: 1 to 128 bytes on one line; nil for nobody.
    ///   - group: the name of the group, such as `g-0123456789`.
    /// - Throws: `NoSuchGroup`, `UnfitText`; `KafkaError` if the broker does not acknowledge the entry.
    package func assign(_ group: String, to name: String?) throws {
        if let name {
            guard (1...Self.longestAssignee).contains(name.utf8.count),
                name.contains(where: { !$0.isWhitespace }),
                !name.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F })
            else { throw UnfitText(description: "a name has 1 to \(Self.longestAssignee) bytes on one line") }
        }
        try self.say(.assign, "", of: group, assignee: name)
    }

    /// Writes an entry about a group, and reads it back, so that the next look shows it.
    private func say(_ action: AuditEntry.Action, _ text: String, of group: String, assignee: String?) throws
    {
        var filter = LetterFilter()
        filter.groups = [group]
        guard let view = try self.groups(filter, limit: 1).groups.first, view.mark == group else {
            throw NoSuchGroup(name: group)
        }
        try self.reader.makeTopics()
        try self.write(
            AuditEntry(
                action: action,
                by: self.user,
                at: self.now(),
                because: text,
                batch: "",
                selection: "group=\(group)",
                counts: [:],
                letters: [],
                group: group,
                assignee: assignee
            )
        )
        try self.reader.refreshTrail()
    }

    /// No group has this name.
    package struct NoSuchGroup: Error, CustomStringConvertible {
        var name: String

        package var description: String {
            "there is no group '\(self.name)': 'dead-letters groups' shows their names, such as g-0123456789"
        }
    }

    /// A note or a name is empty or too long.
    package struct UnfitText: Error, CustomStringConvertible {
        /// The rule that it breaks.
        package var description: String
    }
}
