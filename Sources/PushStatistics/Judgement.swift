package import WireFormats

/// What became of one event.
package struct Judgement: Hashable, Sendable {
    package var standing: PushStanding
    /// When the push was sent, if that is known: milliseconds since 1970.
    package var sent: Int64?
    /// The event is the first of a message, and its app has had too many of those: it is in no statistics.
    package var isBeyondLimit = false

    package init(_ standing: PushStanding, sent: Int64? = nil) {
        self.standing = standing
        self.sent = sent
    }
}
