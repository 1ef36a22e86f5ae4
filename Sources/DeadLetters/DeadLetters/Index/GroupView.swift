/// A group of dead letters with its numbers, as it is shown.
package struct GroupView: Hashable, Sendable {
    /// The facts that the letters have in common.
    package var group: LetterGroup
    /// The name of the group, `g-` and ten hexadecimal digits.
    package var mark: String
    /// The number of letters that the filter leaves of the group.
    package var count: Int
    /// The number of those that are open.
    package var open: Int
    /// The time of the first letter, in milliseconds since 1970.
    package var first: Int64
    /// The time of the last letter, in milliseconds since 1970.
    package var last: Int64
    /// The group's share of all letters of the filter, from 0 to 1.
    package var share: Double
    /// The word by which the letters say whether a replay can help: `yes`, `after_fix` or `no`; nil if they
    /// do not say. It is taken from the first letter of the group that was read.
    package var replayable: String?
    /// The position of one letter of the group.
    package var sample: LetterPosition?
    /// The numbers of letters in each of the last 24 hours, the oldest first. They count all letters of the
    /// group, also those that the filter leaves out.
    package var lastDay: [Int]
    /// The name of whoever looks after the group; nil for nobody.
    package var assignee: String?
    /// The number of notes on the group.
    package var notes = 0
}
