internal import NIOCore

/// Writes Kafka's primitive types into one response.
struct Writer {
    private(set) var buffer: ByteBuffer
    let isFlexible: Bool

    init(_ buffer: ByteBuffer, isFlexible: Bool) {
        self.buffer = buffer
        self.isFlexible = isFlexible
    }

    mutating func integer(_ value: some FixedWidthInteger) { self.buffer.writeInteger(value) }
    mutating func boolean(_ value: Bool) { self.buffer.writeInteger(value ? 1 : 0, as: UInt8.self) }
    mutating func error(_ code: ErrorCode?) { self.integer((code ?? .none).rawValue) }

    /// Writes a throttle time of zero: this broker never throttles a client.
    mutating func noThrottle() { self.integer(Int32(0)) }

    mutating func string(_ value: String?) {
        guard let value else {
            self.isFlexible ? self.unsignedVarint(0) : self.integer(Int16(-1))
            return
        }
        if self.isFlexible {
            self.unsignedVarint(UInt32(clamping: value.utf8.count + 1))
        } else {
            self.integer(Int16(clamping: value.utf8.count))
        }
        self.buffer.writeString(value)
    }

    mutating func bytes(_ value: [UInt8]) {
        self.count(value.count)
        self.buffer.writeBytes(value)
    }

    /// Writes the batches of a partition, preceded by their total length.
    mutating func records(_ batches: [ByteBuffer]) {
        self.integer(Int32(clamping: batches.reduce(0) { $0 + $1.readableBytes }))
        for batch in batches { self.buffer.writeImmutableBuffer(batch) }
    }

    mutating func array<Elements: Collection>(
        _ elements: Elements,
        _ write: (inout Writer, Elements.Element) -> Void
    ) {
        self.count(elements.count)
        for element in elements { write(&self, element) }
    }

    mutating func nullArray() { self.isFlexible ? self.unsignedVarint(0) : self.integer(Int32(-1)) }

    mutating func topics<Entry>(_ topics: [TopicEntries<Entry>], _ write: (inout Writer, Entry) -> Void) {
        self.array(topics) { writer, topic in
            writer.string(topic.topic)
            writer.array(topic.entries) { writer, entry in
                write(&writer, entry)
                writer.endStructure()
            }
            writer.endStructure()
        }
    }

    /// Writes the end of a structure, without tagged fields.
    mutating func endStructure() { if self.isFlexible { self.unsignedVarint(0) } }

    private mutating func count(_ count: Int) {
        if self.isFlexible {
            self.unsignedVarint(UInt32(clamping: count + 1))
        } else {
            self.integer(Int32(clamping: count))
        }
    }

    private mutating func unsignedVarint(_ value: UInt32) {
        var rest = value
        while rest > 0x7f {
            self.integer(UInt8(truncatingIfNeeded: rest & 0x7f | 0x80))
            rest >>= 7
        }
        self.integer(UInt8(truncatingIfNeeded: rest))
    }
}
