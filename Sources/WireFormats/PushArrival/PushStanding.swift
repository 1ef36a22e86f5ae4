/// What an event that was understood counted as: the word in its result.
package enum PushStanding: String, Hashable, Sendable, CaseIterable {
    /// Counted.
    case accepted
    /// This device has reported it before.
    case duplicate
    /// It came after the allowed lateness.
    case late
    /// An arrival of a push that no service extension runs for, or of an environment that is not counted.
    case ineligible
}
