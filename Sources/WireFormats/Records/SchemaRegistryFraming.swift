/// The prefix that schema-registry serialisers write before a value: a zero, the schema's number in four bytes,
/// and for protobuf the path to the message within the schema.
///
/// The number is stepped over, not looked up: what a value must be is known from its topic. Since no message
/// starts with a zero (there is no field of that number) and no JSON does, a leading zero is always a frame.
enum SchemaRegistryFraming {
    static let prefixByteCount = 5

    /// The header that carries the schema instead, in which case the value stands bare.
    static let header = "__value_schema_id"

    static func isFramed(_ value: [UInt8]) -> Bool {
        value.first == 0
    }

    /// Where the message starts, given where its path does. Only the schema's first message is ours to read.
    static func payloadStart(in bytes: [UInt8], path start: Int) throws(RecordFault) -> Int {
        var position = start
        let length = try self.zigZag(in: bytes, at: &position)
        if length == 0 { return position }
        guard length == 1 else { throw self.fault("its path does not name the schema's first message") }
        guard try self.zigZag(in: bytes, at: &position) == 0 else {
            throw self.fault("its path does not name the schema's first message")
        }
        return position
    }

    /// The header's forms: a zero and a number in four bytes, or a one and a GUID in sixteen. For protobuf a
    /// path may follow.
    static func check(header: [UInt8], format: ValueFormat) throws(RecordFault) {
        let pathStart = header.first == 1 ? 17 : self.prefixByteCount
        guard format == .protobuf, header.count > pathStart else { return }
        _ = try self.payloadStart(in: header, path: pathStart)
    }

    static func fault(_ detail: String) -> RecordFault {
        .undecodable("value.framing", "The schema registry frame is broken: \(detail).")
    }

    private static func zigZag(in bytes: [UInt8], at position: inout Int) throws(RecordFault) -> Int {
        var number: UInt32 = 0
        for shift in stride(from: UInt32(0), to: 35, by: 7) {
            guard position < bytes.count else { throw self.fault("it ends early") }
            let byte = bytes[position]
            position += 1
            number |= UInt32(byte & 0x7F) << shift
            if byte & 0x80 == 0 {
                return Int(number >> 1) ^ -Int(number & 1)
            }
        }
        throw self.fault("its path holds a number of more than 32 bits")
    }
}
