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
        let start = self.bytes.count
        fields(&self)
        // Its length stands before it, and is known only now.
        var length = ProtobufWriter(reserving: 10)
        length.varint(UInt64(self.bytes.count - start))
        self.bytes.insert(contentsOf: length.bytes, at: start)
    }

    private mutating func tag(_ number: Int, _ kind: ProtobufFields.Kind) {
        self.varint(UInt64(number) << 3 | kind.rawValue)
    }

    private mutating func varint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            self.bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        self.bytes.append(UInt8(truncatingIfNeeded: rest))
    }
}
