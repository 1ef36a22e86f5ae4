/// The frame that schema-registry serialisers write before a value: a zero byte, the schema's number in four
/// bytes, and for protobuf the path to the message within the schema (Confluent's wire format of version 0).
///
/// A reader skips the schema's number and does not look it up, because the topic decides what a value must be. A
/// leading zero is always a frame: no protobuf message starts with a zero, since there is no field number 0,
/// and no JSON does.
///
/// Our messages stand at the top of their `.proto` files, so the place of a message among those is its whole
/// path. Places count from 0.
package enum SchemaRegistryFraming {
    static let prefixByteCount = 5

    /// The header that carries the schema's id instead of a frame; the value then has no frame.
    static let header = "__value_schema_id"

    /// Returns whether a value begins with a frame.
    package static func isFramed(_ value: [UInt8]) -> Bool {
        value.first == 0
    }

    /// Returns the frame that stands before a value.
    ///
    /// - Parameters:
    ///   - id: the schema's number in the registry.
    ///   - format: the format of the value. JSON has no path.
    ///   - place: the place of the message in its `.proto` file.
    package static func frame(schema id: Int32, _ format: ValueFormat, messageAt place: Int) -> [UInt8] {
        let prefix = [0] + (0..<4).map { UInt8(truncatingIfNeeded: id >> (24 - 8 * $0)) }
        switch format {
        case .json: return prefix
        // A single zero stands for the path of the first message.
        case .protobuf where place == 0: return prefix + [0]
        case .protobuf: return prefix + self.zigZag(1) + self.zigZag(UInt32(clamping: place))
        }
    }

    /// Returns where the message starts, given where its path starts.
    ///
    /// - Parameter place: the place of the message that is expected; nil for any place.
    /// - Throws: `RecordFault` if the path is broken or names another message.
    static func payloadStart(
        in bytes: [UInt8],
        path start: Int,
        messageAt place: Int?
    ) throws(RecordFault) -> Int {
        var position = start
        let length = try self.zigZag(in: bytes, at: &position)
        let isNested = length != 0 && length != 1
        let found = length == 1 ? try self.zigZag(in: bytes, at: &position) : 0
        guard !isNested, found >= 0, found == place ?? found else {
            throw self.fault("its path does not name the message of this topic")
        }
        return position
    }

    /// Checks the value of `header`: a zero and a number of four bytes, or a one and a GUID of sixteen. For
    /// protobuf a path may follow, and has to name the expected message.
    static func check(
        header: [UInt8],
        format: ValueFormat,
        messageAt place: Int?
    ) throws(RecordFault) {
        let pathStart = header.first == 1 ? 17 : self.prefixByteCount
        guard format == .protobuf, header.count > pathStart else { return }
        _ = try self.payloadStart(in: header, path: pathStart, messageAt: place)
    }

    static func fault(_ detail: String) -> RecordFault {
        .undecodable("value.framing", "The schema registry frame is broken: \(detail).")
    }

    /// Encodes a number that is not negative.
    private static func zigZag(_ number: UInt32) -> [UInt8] {
        var rest = UInt64(number) << 1
        var bytes: [UInt8] = []
        while rest > 0x7F {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        return bytes + [UInt8(truncatingIfNeeded: rest)]
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
