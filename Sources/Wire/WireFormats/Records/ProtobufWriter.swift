/// A writer of protobuf messages, field by field, as proto3 prescribes: an empty or zero value is left out,
/// unless its presence is information.
///
/// The writer serves the few messages that are written once for every record. Tests hold it to the same bytes
/// as the general encoder.
struct ProtobufWriter {
    /// The wire type of a field: how its content is encoded.
    private enum Kind: UInt64 {
        case varint = 0
        case bytes = 2
    }

    private(set) var bytes: [UInt8] = []

    init(reserving capacity: Int) {
        self.bytes.reserveCapacity(capacity)
    }

    mutating func string(_ number: Int, _ text: String) {
        guard !text.isEmpty else { return }
        self.optionalString(number, text)
    }

    /// Writes a string even if it is empty; nil is left out.
    mutating func optionalString(_ number: Int, _ text: String?) {
        guard let text else { return }
        self.tag(number, .bytes)
        self.varint(UInt64(text.utf8.count))
        self.bytes.append(contentsOf: text.utf8)
    }

    mutating func int64(_ number: Int, _ value: Int64) {
        guard value != 0 else { return }
        self.optionalInt64(number, value)
    }

    /// Writes a number even if it is 0; nil is left out. A negative number takes ten bytes, also in a field
    /// of 32 bits.
    mutating func optionalInt64(_ number: Int, _ value: Int64?) {
        guard let value else { return }
        self.tag(number, .varint)
        self.varint(UInt64(bitPattern: value))
    }

    mutating func bool(_ number: Int, _ value: Bool) {
        if value { self.optionalBool(number, true) }
    }

    mutating func optionalBool(_ number: Int, _ value: Bool?) {
        guard let value else { return }
        self.tag(number, .varint)
        self.bytes.append(value ? 1 : 0)
    }

    /// Writes a nested message, even if it is empty.
    mutating func message(_ number: Int, _ fields: (inout ProtobufWriter) -> Void) {
        self.tag(number, .bytes)
        let place = self.beginLength()
        fields(&self)
        self.endLength(at: place)
    }

    /// Writes a string whose bytes the caller appends directly, even if it is empty.
    mutating func text(_ number: Int, _ append: (inout [UInt8]) -> Void) {
        self.tag(number, .bytes)
        let place = self.beginLength()
        append(&self.bytes)
        self.endLength(at: place)
    }

    /// Reserves one byte for a length, which stands before its content and is known only afterwards. Most
    /// lengths take one byte.
    private mutating func beginLength() -> Int {
        self.bytes.append(0)
        return self.bytes.count - 1
    }

    private mutating func endLength(at place: Int) {
        var rest = self.bytes.count - place - 1
        var position = place
        while rest >= 0x80 {
            self.bytes[position] = UInt8(truncatingIfNeeded: rest) | 0x80
            rest >>= 7
            position += 1
            self.bytes.insert(0, at: position)
        }
        self.bytes[position] = UInt8(rest)
    }

    private mutating func tag(_ number: Int, _ kind: Kind) {
        self.varint(UInt64(number) << 3 | kind.rawValue)
    }

    // Inlined, because nearly all tags and lengths take one byte, and a call would cost more than the rest.
    @inline(__always)
    private mutating func varint(_ value: UInt64) {
        if value < 0x80 { self.bytes.append(UInt8(value)) } else { self.longVarint(value) }
    }

    private mutating func longVarint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            self.bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        self.bytes.append(UInt8(truncatingIfNeeded: rest))
    }
}
