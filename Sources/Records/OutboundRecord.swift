/// A record to publish.
package struct OutboundRecord: Hashable, Sendable {
    package var topic: String
    package var key: [UInt8]?
    package var value: [UInt8]?
    package var headers: [RecordHeader]
    /// Nil leaves the partition to the key's hash.
    package var partition: Int32?
    /// Wall-clock milliseconds since 1970; nil stamps it when it is sent.
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
