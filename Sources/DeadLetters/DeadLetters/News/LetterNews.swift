/// A turn of events among the dead letters, for somebody who is not looking.
package struct LetterNews: Hashable, Sendable {
    /// The kinds of events. The raw value is the word that stands in a message about one.
    package enum Kind: String, CaseIterable, Hashable, Sendable {
        /// A group has its first letter.
        case newGroup = "group.new"
        /// A group gets many more letters than in the hours before.
        case growingGroup = "group.growing"
        /// The broker deletes open letters of a topic soon.
        case retention = "retention.near"
    }

    /// The kind of the event.
    package var kind: Kind
    /// The name of the group, such as `g-0123456789`, or of the topic.
    package var subject: String
    /// The group; nil for an event of a topic.
    package var group: LetterGroup?
    /// The number of open letters of the group or topic.
    package var open: Int
    /// The number of letters that the event is about: all letters of a new group, those of the last two hours of a
    /// growing one, and those that are deleted soon.
    package var letters: Int

    /// Creates an event from its parts.
    package init(kind: Kind, subject: String, group: LetterGroup? = nil, open: Int, letters: Int) {
        self.kind = kind
        self.subject = subject
        self.group = group
        self.open = open
        self.letters = letters
    }
}

extension LetterNews.Kind {
    /// The time in milliseconds after which the same event of the same group or topic is news again; nil if it never is.
    package var staleness: Int64? {
        switch self {
        case .newGroup: nil
        case .growingGroup: 6 * LetterIndex.hour
        case .retention: 24 * LetterIndex.hour
        }
    }
}
