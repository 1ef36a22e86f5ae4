/// A record as it was read from a topic: nothing interpreted, nothing lost.
///
/// Nil and empty stay different: a nil value is a tombstone, an empty one is data.
package struct InboundRecord: Hashable, Sendable {
    package var topic: String
    package var partition: Int32
    package var offset: Int64
    /// Wall-clock milliseconds since 1970; nil if the record carries none.
    package var timestamp: Int64?
    package var key: [UInt8]?
    package var value: [UInt8]?
    package var headers: [RecordHeader]

    package init(
        topic: String,
        partition: Int32,
        offset: Int64,
        timestamp: Int64? = nil,
        key: [UInt8]? = nil,
        value: [UInt8]? = nil,
        headers: [RecordHeader] = []
    ) {
        self.topic = topic
        self.partition = partition
        self.offset = offset
        self.timestamp = timestamp
        self.key = key
        self.value = value
        self.headers = headers
    }

    /// The last value of a header, as Kafka's own clients read it. Names are compared exactly.
    package func header(_ name: String) -> [UInt8]? {
        self.headers.last { $0.name == name }?.value
    }
}
