/// The fields of a protobuf message without a known schema, one level deep.
///
/// The format is from protobuf's description of its encoding: a tag is a varint of field number and wire
/// type. Groups are deprecated there, and are refused here.
struct ProtobufFields: Sequence {
    /// The wire type of a field: how its content is encoded.
    enum Kind: UInt64, Hashable, Sendable {
        case varint = 0
        case fixed64 = 1
        case bytes = 2
        case fixed32 = 5
    }

    struct Field: Hashable, Sendable {
        var number: Int
        var kind: Kind
        /// The content without the bytes of its length; a varint as it is encoded.
        var content: ArraySlice<UInt8>
    }

    private let fields: [Field]

    /// The most fields that are read, each element of a repeated field counted; none of our messages has as
    /// many.
    static let fieldsLimit = 100_000

    /// Splits a message into its fields. Nil if the bytes are not a message or have more fields than the
    /// limit.
    init?(_ message: ArraySlice<UInt8>) {
        var fields: [Field] = []
        var rest = message
        while !rest.isEmpty {
            guard fields.count < Self.fieldsLimit, let tag = Self.varint(&rest),
                let number = Int(exactly: tag >> 3), 1..<(1 << 29) ~= number,
                let kind = Kind(rawValue: tag & 7), let content = Self.content(kind, &rest)
            else { return nil }
            fields.append(Field(number: number, kind: kind, content: content))
        }
        self.fields = fields
    }

    func makeIterator() -> IndexingIterator<[Field]> { self.fields.makeIterator() }

    private static func content(_ kind: Kind, _ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let count: UInt64
        switch kind {
        case .varint:
            let start = rest.startIndex
            let whole = rest
            return self.varint(&rest) == nil ? nil : whole[start..<rest.startIndex]
        case .fixed64: count = 8
        case .fixed32: count = 4
        case .bytes:
            guard let length = self.varint(&rest) else { return nil }
            count = length
        }
        guard count <= UInt64(rest.count) else { return nil }
        let content = rest.prefix(Int(count))
        rest = rest[content.endIndex...]
        return content
    }

    /// Reads a varint: at most 64 bits, the lowest seven first. Nil if there is none.
    static func varint(_ rest: inout ArraySlice<UInt8>) -> UInt64? {
        var number: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 70, by: 7) {
            guard let byte = rest.popFirst() else { return nil }
            guard shift < 63 || byte <= 1 else { return nil }
            number |= UInt64(byte & 0x7F) << shift
            if byte & 0x80 == 0 { return number }
        }
        return nil
    }
}
