import Records

/// The place of a record in the cluster, written as `topic/partition/offset`. The place of an input record is
/// also the id of its outcome.
struct RecordPlace: Hashable, Sendable, CustomStringConvertible {
    var topic: String
    var partition: Int32
    var offset: Int64

    init(topic: String, partition: Int32, offset: Int64) {
        self.topic = topic
        self.partition = partition
        self.offset = offset
    }

    /// Returns the place of a record.
    init(_ record: InboundRecord) {
        self.init(topic: record.topic, partition: record.partition, offset: record.offset)
    }

    /// Reads `topic/partition/offset`; nil for any other text.
    init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 3, !parts[0].isEmpty, let partition = Int32(parts[1]), partition >= 0,
            let offset = Int64(parts[2]), offset >= 0
        else { return nil }
        self.init(topic: String(parts[0]), partition: partition, offset: offset)
    }

    var description: String { "\(self.topic)/\(self.partition)/\(self.offset)" }
}
