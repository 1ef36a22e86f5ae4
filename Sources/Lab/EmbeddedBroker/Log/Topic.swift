/// A topic, its configuration and its partitions.
final class Topic {
    let name: String
    let configuration: TopicConfiguration
    private(set) var partitions: [Partition] = []
    private let retainedByteLimit: Int

    /// - Parameter retainedByteLimit: the number of bytes that a partition retains; the topic's
    ///   `retention.bytes` can lower it.
    init(_ name: String, partitions: Int, _ configuration: TopicConfiguration, retainedByteLimit: Int) {
        self.name = name
        self.configuration = configuration
        let own = configuration.number("retention.bytes") ?? -1
        self.retainedByteLimit = own < 0 ? retainedByteLimit : min(own, retainedByteLimit)
        self.grow(to: partitions)
    }

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
