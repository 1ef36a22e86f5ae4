public import FlotillaRecords

/// A second way for each record: a topic that gets a record of its own together with the outcome.
///
/// The engine publishes it before the outcome and as a part of the same publication: it is there once the
/// outcome is, and with `worker.delivery: exactly-once` both are one transaction. With at-least-once delivery a
/// crash can repeat it, with the same header `channel.of`. Another worker takes the topic and sends each record
/// on, with retries, breakers and dead letters of its own, so neither upstream waits for the other.
///
/// A dead letter sends nothing to a channel: it is replayed, and then ends.
public protocol Channel: Sendable {
    /// The topic, which has to exist. It is none of the worker's own topics.
    var topic: String { get }

    /// Returns the record for the channel; nil if the channel gets nothing for this record. It must depend on
    /// nothing but its parameters, so that a repeat after a crash is the same.
    ///
    /// A record that is larger than the broker takes goes out without its value, and says so in the header
    /// `channel.value_omitted`.
    func record(for record: Record, _ outcome: Outcome) -> ChannelRecord?
}

/// The content of a record for a channel.
public struct ChannelRecord: Hashable, Sendable {
    /// The key; nil for a record without a key.
    public var key: [UInt8]?
    /// The value; nil for a tombstone.
    public var value: [UInt8]?
    /// The headers. The engine adds `channel.of`, and `channel.timestamp_ms` and the trace where the record has
    /// them.
    public var headers: [Header]

    /// Makes a record from its parts.
    public init(key: [UInt8]?, value: [UInt8]?, headers: [Header] = []) {
        self.key = key
        self.value = value
        self.headers = headers
    }

    /// Makes a copy of a record: its key, its value, and the header `content-type`.
    public init(copying record: Record) {
        let headers = record.headers.filter { $0.name.utf8.elementsEqual("content-type".utf8) }
        self.init(key: record.key, value: record.value, headers: headers)
    }
}
