/// Goes over the bytes of one protobuf message and steps over what it has read. The bytes are handed in with each
/// call, because they belong to the caller.
struct ProtobufReader {
    /// The content of a field, by its wire type.
    enum Content {
        case varint(UInt64)
        case fixed64(UInt64)
        case fixed32
        /// A text, some bytes, or a nested message.
        case bytes(Range<Int>)
    }

    /// The bytes are no message: a field is cut off, or its tag has no number or a wire type that proto3 lacks.
    struct Fault: Error {}

    private(set) var position: Int
    private let end: Int

    /// Makes a reader of the message in this range, which must lie inside the bytes of each call.
    init(_ range: Range<Int>) {
        self.position = range.lowerBound
        self.end = range.upperBound
    }

    var isAtEnd: Bool { self.position >= self.end }

    // Some functions are inlined, because nearly all tags and lengths take one byte or two, and a call would cost
    // more than the rest.

    /// Returns the next field, whatever it is; nil at the end of the message.
    @inline(__always)
    mutating func field(in bytes: Span<UInt8>) throws(Fault) -> (number: UInt64, content: Content)? {
        guard !self.isAtEnd else { return nil }
        guard let tag = self.varint(in: bytes) else { throw Fault() }
        return (tag >> 3, try self.content(of: tag, in: bytes))
    }

    /// Returns the content of the field whose tag was read.
    @inline(__always)
    mutating func content(of tag: UInt64, in bytes: Span<UInt8>) throws(Fault) -> Content {
        guard tag >> 3 > 0, tag >> 3 < 1 << 29 else { throw Fault() }
        switch tag & 7 {
        case 0:
            guard let number = self.varint(in: bytes) else { throw Fault() }
            return .varint(number)
        case 1:
            guard let start = self.skip(8) else { throw Fault() }
            return .fixed64(bytes.word(at: start))
        case 2:
            guard let content = self.content(in: bytes) else { throw Fault() }
            return .bytes(content)
        case 5:
            guard self.skip(4) != nil else { throw Fault() }
            return .fixed32
        default: throw Fault()
        }
    }

    /// Reads a varint of at most 64 bits; nil if there is none.
    @inline(__always)
    mutating func varint(in bytes: Span<UInt8>) -> UInt64? {
        let start = self.position
        guard start < self.end else { return nil }
        let first = bytes[start]
        if first < 0x80 {
            self.position = start &+ 1
            return UInt64(first)
        }
        guard start &+ 1 < self.end else { return nil }
        let second = bytes[start &+ 1]
        guard second < 0x80 else { return self.longVarint(in: bytes) }
        self.position = start &+ 2
        return UInt64(first & 0x7F) | UInt64(second) << 7
    }

    private mutating func longVarint(in bytes: Span<UInt8>) -> UInt64? {
        var number: UInt64 = 0
        var shift: UInt64 = 0
        while self.position < self.end, shift < 63 {
            let byte = bytes[self.position]
            self.position += 1
            number |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return number }
            shift += 7
        }
        // The tenth byte of a varint has room for one bit only.
        guard self.position < self.end, bytes[self.position] <= 1 else { return nil }
        self.position += 1
        return number | UInt64(bytes[self.position - 1]) << 63
    }

    /// Reads a length, and steps over as many bytes; nil if the message ends before.
    @inline(__always)
    mutating func content(in bytes: Span<UInt8>) -> Range<Int>? {
        guard let length = self.varint(in: bytes), let start = self.skip(length) else { return nil }
        return start..<self.position
    }

    /// Steps over so many bytes and returns the position of the first; nil if the message ends before.
    @inline(__always)
    private mutating func skip(_ count: UInt64) -> Int? {
        let start = self.position
        guard count <= UInt64(bitPattern: Int64(self.end &- start)) else { return nil }
        self.position = start &+ Int(count)
        return start
    }
}
