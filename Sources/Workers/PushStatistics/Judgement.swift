package import WireFormats

/// The result of counting one event.
package struct Judgement: Hashable, Sendable {
    /// How the event counts.
    package var standing: PushStanding
    /// When the push was sent, in milliseconds since 1970; nil if this is unknown.
    package var sent: Int64?
    /// Whether the event would have begun a new message although its app has begun too many, or memory is short and
    /// too few devices have reported the message. Such an event is in no statistics.
    package var isBeyondLimit = false
    /// When the push was sent to the device, in milliseconds since 1970, by a `sent` event of this device; nil if
    /// there was none.
    package var sentToDevice: Int64?
    /// With a `sent` event: the kinds of event that the device has reported before.
    package var earlierKinds: [PushEvent.Kind] = []

    /// Creates a judgement of an event that is not beyond the limit.
    package init(_ standing: PushStanding, sent: Int64? = nil) {
        self.standing = standing
        self.sent = sent
    }
}
