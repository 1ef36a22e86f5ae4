/// The frame that schema-registry serialisers write before a value: a zero byte, the schema's number in four
/// bytes, and for protobuf the path to the message within the schema.
///
/// The schema's number is skipped and not looked up, because the topic decides what a value must be. A
/// leading zero is always a frame: no protobuf message starts with a zero, since there is no field number 0,
/// and no JSON does.
package enum SchemaRegistryFraming {
    static let prefixByteCount = 5

    /// The header that carries the schema's id instead of a frame; the value then has no frame.
    static let header = "__value_schema_id"

    /// Returns whether a value begins with a frame.
    package static func isFramed(_ value: [UInt8]) -> Bool {
        value.first == 0
    }

    /// Returns where the message starts, given where its path starts. Only the first message of a schema is
    /// read.
    ///
    /// - Throws: `RecordFault` if the path is broken or names another message.
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

    /// Checks the value of `header`: a zero and a number of four bytes, or a one and a GUID of sixteen. For
    /// protobuf a path may follow, and has to name the first message.
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
