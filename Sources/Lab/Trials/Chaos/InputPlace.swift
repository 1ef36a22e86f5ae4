/// The place of an input in its topic, as an outcome states it.
struct InputPlace: Hashable {
    var partition: Int32
    var offset: Int64

    /// Parses a place; nil unless it has the form `topic/partition/offset` with this topic.
    init?(_ text: String, in topic: String) {
        guard text.hasPrefix("\(topic)/") else { return nil }
        let parts = text.dropFirst(topic.count + 1).split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let partition = Int32(parts[0]), partition >= 0, let offset = Int64(parts[1]),
            offset >= 0
        else { return nil }
        self.partition = partition
        self.offset = offset
    }
}
