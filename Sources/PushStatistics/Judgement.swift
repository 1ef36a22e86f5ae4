/// What became of one event.
package struct Judgement: Hashable, Sendable {
    package enum Standing: String, Hashable, Sendable, CaseIterable {
        case accepted
        /// This device has reported it before.
        case duplicate
        /// It came after the allowed lateness.
        case late
        /// An arrival of a push that no service extension runs for, or an environment that does not count.
        case ineligible
    }

    package var standing: Standing
    /// When the push was sent, if that is known: milliseconds since 1970.
    package var sent: Int64?

    package init(_ standing: Standing, sent: Int64? = nil) {
        self.standing = standing
        self.sent = sent
    }
}
