/// A topic, its configuration and its partitions.
final class Topic {
    let name: String
    /// The settings. A new `retention.bytes` takes effect for partitions that are added later.
    private(set) var configuration: TopicConfiguration
    private(set) var partitions: [Partition] = []
    private let brokerByteLimit: Int

    /// - Parameter retainedByteLimit: the number of bytes that a partition retains; the topic's
    ///   `retention.bytes` can lower it.
    init(_ name: String, partitions: Int, _ configuration: TopicConfiguration, retainedByteLimit: Int) {
        self.name = name
        self.configuration = configuration
        self.brokerByteLimit = retainedByteLimit
        self.grow(to: partitions)
    }

    private var retainedByteLimit: Int {
        let own = self.configuration.number("retention.bytes") ?? -1
        return own < 0 ? self.brokerByteLimit : min(own, self.brokerByteLimit)
    }

    /// Replaces the settings.
    func configure(_ configuration: TopicConfiguration) { self.configuration = configuration }

    func partition(_ index: Int32) -> Partition? {
        self.partitions.indices.contains(Int(index)) ? self.partitions[Int(index)] : nil
    }

    /// Adds partitions until there are `count`. Partitions are never removed.
    func grow(to count: Int) {
        while self.partitions.count < count {
            self.partitions.append(Partition(retainedByteLimit: self.retainedByteLimit))
        }
    }

    /// Whether a name follows Kafka's rule for topic names.
    static func isValidName(_ name: String) -> Bool {
        name != "." && name != ".." && 1...249 ~= name.utf8.count
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"),
                    UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }
}
