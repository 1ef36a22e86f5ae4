/// A record that was read and lies before a committed offset.
///
/// The landmark is stored with the commit. A topic that was deleted and created again has another record at
/// that offset, so the landmark shows whether the commit belongs to the topic as it is now.
package struct Landmark: Hashable, Sendable {
    package var offset: Int64
    /// The timestamp of the record, in milliseconds since 1970.
    package var timestamp: Int64

    package init(offset: Int64, timestamp: Int64) {
        self.offset = offset
        self.timestamp = timestamp
    }

    /// The text that is stored: `offset@timestamp`.
    package var text: String { "\(self.offset)@\(self.timestamp)" }

    /// Reads `offset@timestamp`; nil if the text is anything else, or the offset is negative.
    package init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, let offset = Int64(parts[0]), let timestamp = Int64(parts[1]), offset >= 0
        else { return nil }
        self.init(offset: offset, timestamp: timestamp)
    }
}
