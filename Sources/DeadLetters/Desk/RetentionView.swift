/// How long the letters of a topic are still there.
package struct RetentionView: Hashable, Sendable {
    package var topic: String
    /// Milliseconds that the broker keeps a record at least; nil for as long as there is room.
    package var keeps: Int64?
    /// Bytes of a partition beyond which the oldest records go; nil for no such bound.
    package var bytes: Int64?
    /// Open letters, and those of them that go within the time that was asked for.
    package var open: Int
    package var goingSoon: Int
    /// When the oldest open letter goes: milliseconds since 1970.
    package var firstGoes: Int64?
    /// The cluster does not tell what it keeps.
    package var isUnknown: Bool
}
