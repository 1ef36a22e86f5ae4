/// How a valid event was counted; the raw value is the word in its result.
package enum PushStanding: String, Hashable, Sendable, CaseIterable {
    /// The event was counted.
    case accepted
    /// The device has reported the event before.
    case duplicate
    /// The event came after the allowed lateness.
    case late
    /// The event is the arrival of a push that no service extension runs for, or belongs to an environment
    /// that is not counted.
    case ineligible
}
