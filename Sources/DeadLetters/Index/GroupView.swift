/// A group of dead letters as it is shown.
package struct GroupView: Hashable, Sendable {
    package var group: LetterGroup
    package var mark: String
    /// Letters in all, and those about which nothing has been done.
    package var count: Int
    package var open: Int
    /// Milliseconds since 1970.
    package var first: Int64
    package var last: Int64
    /// Of all letters that were looked at, from 0 to 1.
    package var share: Double
    /// What the letters say about a replay: `yes`, `after_fix`, `no`, or nothing.
    package var replayable: String?
    /// One of its letters.
    package var sample: LetterPosition?
    /// Letters by the hour of the last day, the oldest first; 24 numbers.
    package var lastDay: [Int]
}
