/// A record as it was read from a topic, with nothing interpreted and nothing left out.
///
/// Nil and empty are different: a record whose value is nil is a tombstone, and an empty value is data.
package struct InboundRecord: Hashable, Sendable {
    /// The name of the topic that the record was read from.
    package var topic: String
    /// The partition that the record was read from.
    package var partition: Int32
    /// The record's position in its partition.
    package var offset: Int64
    /// Wall-clock milliseconds since 1970; nil if the record carries none.
    package var timestamp: Int64?
    /// The key's bytes; nil if the record has no key.
    package var key: [UInt8]?
    /// The value's bytes; nil for a tombstone.
    package var value: [UInt8]?
    /// The headers in the order of the record. A name may occur more than once.
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

    /// Returns the value of the last header of this name, as Kafka's own clients do; nil if there is no such
    /// header, or its value is absent. Names are compared exactly.
    package func header(_ name: String) -> [UInt8]? {
        self.headers.last { $0.isNamed(name) }?.value
    }
}
