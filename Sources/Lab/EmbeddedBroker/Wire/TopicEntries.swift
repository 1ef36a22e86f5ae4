/// A topic with an entry for each of some of its partitions: the shape of most requests and responses.
struct TopicEntries<Entry> {
    var topic: String
    var entries: [Entry]

    func map<Other>(_ transform: (String, Entry) -> Other) -> TopicEntries<Other> {
        TopicEntries<Other>(topic: self.topic, entries: self.entries.map { transform(self.topic, $0) })
    }
}

extension TopicEntries: Sendable where Entry: Sendable {}

/// One partition of a topic.
struct TopicPartition: Hashable, Sendable {
    var topic: String
    var partition: Int32
}
