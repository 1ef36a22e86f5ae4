package import Records
import WireFormats

/// One header of a record. Kafka allows a name to occur more than once, and a value to be absent.
public struct Header: Hashable, Sendable {
    /// The name. Names that differ in case are different.
    public var name: String
    /// The value's bytes; nil if the header has no value, which differs from an empty value.
    public var value: [UInt8]?

    /// Makes a header from bytes, or without a value.
    public init(_ name: String, bytes: [UInt8]?) {
        self.name = name
        self.value = bytes
    }

    /// Makes a header whose value is the UTF-8 bytes of a text.
    public init(_ name: String, _ value: String) { self.init(name, bytes: Array(value.utf8)) }

    /// The value as text, in which bytes that are not UTF-8 are replaced; nil if there is no value.
    public var text: String? { self.value.map { String(decoding: $0, as: UTF8.self) } }
}

/// A record as it was read from a topic. Nil and empty are different: a record without a value is a tombstone.
public struct Record: Hashable, Sendable {
    /// The topic that the record was read from.
    public var topic: String
    /// The partition that the record was read from.
    public var partition: Int32
    /// The record's position in its partition.
    public var offset: Int64
    /// Milliseconds since 1970; nil if the record carries no time.
    public var timestampMS: Int64?
    /// The key's bytes; nil if the record has no key.
    public var key: [UInt8]?
    /// The value's bytes; nil for a tombstone.
    public var value: [UInt8]?
    /// The headers in the order of the record.
    public var headers: [Header]

    /// Makes a record from its parts, as a reader of Kafka gives them.
    public init(
        topic: String,
        partition: Int32 = 0,
        offset: Int64 = 0,
        timestampMS: Int64? = nil,
        key: [UInt8]? = nil,
        value: [UInt8]?,
        headers: [Header] = []
    ) {
        self.topic = topic
        self.partition = partition
        self.offset = offset
        self.timestampMS = timestampMS
        self.key = key
        self.value = value
        self.headers = headers
    }

    /// Returns the value of the last header of this name as text; nil if there is no such header, or its value
    /// is absent. Names are compared exactly.
    public func header(_ name: String) -> String? { self.headers.last { $0.name.isExactly(name) }?.text }

    /// The topic, the partition and the offset of the publisher's record that this outcome, or this record of
    /// `activation.due`, comes from; nil if no worker stood between the two.
    public var origin: String? { self.header(RecordOrigin.header) }

    /// The id of the SDK's event that this outcome, or this record of `activation.due`, is about; nil if it is
    /// about no event.
    public var eventID: String? { self.header(RecordOrigin.eventHeader) }

    /// Takes a record that the engine has read.
    package init(_ record: InboundRecord) {
        self.init(
            topic: record.topic,
            partition: record.partition,
            offset: record.offset,
            timestampMS: record.timestamp,
            key: record.key,
            value: record.value,
            headers: record.headers.map(Header.init)
        )
    }

    /// The record in the form that codecs and engines read.
    package var inbound: InboundRecord {
        InboundRecord(
            topic: self.topic,
            partition: self.partition,
            offset: self.offset,
            timestamp: self.timestampMS,
            key: self.key,
            value: self.value,
            headers: self.headers.map(\.recordHeader)
        )
    }
}

/// A record that is to be published.
public struct OutgoingRecord: Hashable, Sendable {
    /// The topic to publish to.
    public var topic: String
    /// The key's bytes; nil for a record without a key.
    public var key: [UInt8]?
    /// The value's bytes; nil for a tombstone.
    public var value: [UInt8]?
    /// The headers in the order in which they are written.
    public var headers: [Header]

    /// Makes a record from its parts.
    public init(topic: String, key: [UInt8]? = nil, value: [UInt8]?, headers: [Header] = []) {
        self.topic = topic
        self.key = key
        self.value = value
        self.headers = headers
    }
}

extension Header {
    package init(_ header: RecordHeader) { self.init(header.name, bytes: header.value) }

    package var recordHeader: RecordHeader { RecordHeader(self.name, self.value) }
}
