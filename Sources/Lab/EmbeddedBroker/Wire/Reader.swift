internal import NIOCore

/// Reads Kafka's primitive types from one frame.
///
/// Input is not trusted: every length is checked against the number of bytes that are left.
struct Reader {
    private var buffer: ByteBuffer
    /// Whether strings, bytes and arrays are in their compact form, and structures end with tagged fields.
    var isFlexible = false

    init(_ buffer: ByteBuffer) { self.buffer = buffer }

    mutating func boolean() throws(Malformed) -> Bool { try self.integer(as: Int8.self) != 0 }
    mutating func int8() throws(Malformed) -> Int8 { try self.integer() }
    mutating func int16() throws(Malformed) -> Int16 { try self.integer() }
    mutating func int32() throws(Malformed) -> Int32 { try self.integer() }
    mutating func int64() throws(Malformed) -> Int64 { try self.integer() }

    /// Reads 32 bits of milliseconds. A negative number counts as zero.
    mutating func duration() throws(Malformed) -> Duration { .milliseconds(max(0, try self.int32())) }

    mutating func string() throws(Malformed) -> String {
        guard let string = try self.nullableString() else { throw Malformed() }
        return string
    }

    mutating func nullableString() throws(Malformed) -> String? {
        let length = self.isFlexible ? try self.compactLength() : Int(try self.int16())
        // A compact string could be longer. Kafka as well limits it to the greatest length of a string with a
        // 16-bit length.
        guard length <= Int16.max else { throw Malformed() }
        return try self.text(length)
    }

    /// Reads a string in the plain form, even in a flexible request: the client id in a request's header.
    mutating func plainNullableString() throws(Malformed) -> String? {
        try self.text(Int(try self.int16()))
    }

    /// Reads UTF-8. Invalid UTF-8 is an error, because text with replacement characters is longer, and a name
    /// could not be sent back as it was received.
    private mutating func text(_ length: Int) throws(Malformed) -> String? {
        guard let slice = try self.slice(length) else { return nil }
        guard let text = String(validating: slice.readableBytesView, as: UTF8.self) else { throw Malformed() }
        return text
    }

    mutating func bytes() throws(Malformed) -> [UInt8] {
        let length = self.isFlexible ? try self.compactLength() : Int(try self.int32())
        guard let slice = try self.slice(length) else { throw Malformed() }
        return Array(slice.readableBytesView)
    }

    /// Reads the record bytes of a partition. The returned buffer shares the frame's memory: copy the bytes
    /// that are kept.
    mutating func records() throws(Malformed) -> ByteBuffer {
        try self.slice(Int(try self.int32())) ?? ByteBuffer()
    }

    mutating func array<Element>(
        _ element: (inout Reader) throws(Malformed) -> Element
    ) throws(Malformed) -> [Element] {
        guard let elements = try self.nullableArray(element) else { throw Malformed() }
        return elements
    }

    mutating func nullableArray<Element>(
        _ element: (inout Reader) throws(Malformed) -> Element
    ) throws(Malformed) -> [Element]? {
        let count = self.isFlexible ? try self.compactLength() : Int(try self.int32())
        guard count >= 0 else { return nil }
        // Each element takes at least one byte, so a false count cannot make the broker reserve memory.
        guard count <= self.buffer.readableBytes else { throw Malformed() }
        var elements: [Element] = []
        elements.reserveCapacity(min(count, 1_024))
        for _ in 0..<count { elements.append(try element(&self)) }
        return elements
    }

    /// Reads the shape that many requests share: a list of topics, each with an entry for each of its
    /// partitions.
    mutating func topics<Entry>(
        _ entry: (inout Reader) throws(Malformed) -> Entry
    ) throws(Malformed) -> [TopicEntries<Entry>] {
        guard let topics = try self.nullableTopics(entry) else { throw Malformed() }
        return topics
    }

    mutating func nullableTopics<Entry>(
        _ entry: (inout Reader) throws(Malformed) -> Entry
    ) throws(Malformed) -> [TopicEntries<Entry>]? {
        try self.nullableArray { (reader) throws(Malformed) in
            let topic = try reader.string()
            let entries = try reader.array(entry)
            try reader.endStructure()
            return TopicEntries(topic: topic, entries: entries)
        }
    }

    /// Skips the tagged fields at the end of a structure. This broker supports no tagged field.
    mutating func endStructure() throws(Malformed) {
        guard self.isFlexible else { return }
        for _ in 0..<(try self.unsignedVarint()) {
            _ = try self.unsignedVarint()
            _ = try self.slice(Int(try self.unsignedVarint()))
        }
    }

    /// Reads an unsigned number of at most five bytes with seven bits each.
    mutating func unsignedVarint() throws(Malformed) -> UInt32 {
        var value: UInt64 = 0
        for shift in stride(from: 0, through: 28, by: 7) {
            let byte = try self.integer(as: UInt8.self)
            value |= UInt64(byte & 0x7f) << UInt64(shift)
            if byte & 0x80 == 0 {
                guard let value = UInt32(exactly: value) else { throw Malformed() }
                return value
            }
        }
        throw Malformed()
    }

    /// Reads the length of a compact value. It is encoded as the length plus one, so that zero means null (-1
    /// here).
    private mutating func compactLength() throws(Malformed) -> Int { Int(try self.unsignedVarint()) - 1 }

    private mutating func slice(_ length: Int) throws(Malformed) -> ByteBuffer? {
        guard length >= 0 else { return nil }
        guard let slice = self.buffer.readSlice(length: length) else { throw Malformed() }
        return slice
    }

    private mutating func integer<Value: FixedWidthInteger>(
        as type: Value.Type = Value.self
    ) throws(Malformed) -> Value {
        guard let value = self.buffer.readInteger(as: type) else { throw Malformed() }
        return value
    }
}
