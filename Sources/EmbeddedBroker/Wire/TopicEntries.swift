/// A topic, and something for each of some partitions of it: the shape of most requests and answers.
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
