/// Writes a protobuf message field by field, as proto3 wants it: what is empty or zero is left out, unless its presence
/// says something.
///
/// For the few messages that are written once for every record. Tests hold it to the same bytes as the general encoder.
struct ProtobufWriter {
    private(set) var bytes: [UInt8] = []

    init(reserving capacity: Int) {
        self.bytes.reserveCapacity(capacity)
    }

    mutating func string(_ number: Int, _ text: String) {
        guard !text.isEmpty else { return }
        self.optionalString(number, text)
    }

    /// A string that is there even when it is empty.
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

    /// A number that is there even when it is 0. One below 0 takes ten bytes, also where the field has 32 bits.
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

    /// A message inside, also one that is empty.
    mutating func message(_ number: Int, _ fields: (inout ProtobufWriter) -> Void) {
        self.tag(number, .bytes)
        let place = self.beginLength()
        fields(&self)
        self.endLength(at: place)
    }

    /// A string that is put together on the spot, and is there even when it is empty.
    mutating func text(_ number: Int, _ append: (inout [UInt8]) -> Void) {
        self.tag(number, .bytes)
        let place = self.beginLength()
        append(&self.bytes)
        self.endLength(at: place)
    }

    /// A length stands before what it is of, mostly in one byte, and is known only afterwards.
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

    private mutating func tag(_ number: Int, _ kind: ProtobufFields.Kind) {
        self.varint(UInt64(number) << 3 | kind.rawValue)
    }

    // Nearly all tags and lengths are one byte, and what is left is not worth a call.
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
