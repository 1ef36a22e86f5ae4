/// A record that is to be published. Nil and empty are different, as in `InboundRecord`.
package struct OutboundRecord: Hashable, Sendable {
    /// The name of the topic to write to.
    package var topic: String
    /// The key's bytes; nil for a record without a key.
    package var key: [UInt8]?
    /// The value's bytes; nil for a tombstone.
    package var value: [UInt8]?
    /// The headers in the order in which they are written. A name may occur more than once.
    package var headers: [RecordHeader]
    /// The partition to write to. If it is nil, the producer's partitioner chooses one by the hash of the
    /// key.
    package var partition: Int32?
    /// Wall-clock milliseconds since 1970. If it is nil, the client takes the time at which the record is
    /// sent.
    package var timestamp: Int64?

    package init(
        topic: String,
        key: [UInt8]? = nil,
        value: [UInt8]? = nil,
        headers: [RecordHeader] = [],
        partition: Int32? = nil,
        timestamp: Int64? = nil
    ) {
        self.topic = topic
        self.key = key
        self.value = value
        self.headers = headers
        self.partition = partition
        self.timestamp = timestamp
    }
}
