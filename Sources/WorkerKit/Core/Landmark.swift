/// A record that was read and lies before a committed offset, by its offset and its timestamp in milliseconds since 1970.
///
/// It is stored with the commit. A topic that was deleted and made again has another record there.
package struct Landmark: Hashable, Sendable {
    package var offset: Int64
    package var timestamp: Int64

    package init(offset: Int64, timestamp: Int64) {
        self.offset = offset
        self.timestamp = timestamp
    }

    /// `offset@timestamp`.
    package var text: String { "\(self.offset)@\(self.timestamp)" }

    package init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, let offset = Int64(parts[0]), let timestamp = Int64(parts[1]), offset >= 0
        else { return nil }
        self.init(offset: offset, timestamp: timestamp)
    }
}
