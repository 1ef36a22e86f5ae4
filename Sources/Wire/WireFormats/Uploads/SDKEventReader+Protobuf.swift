// The SDK's `EventV3List { repeated EventV3Dto values = 1; }` in proto3. Unknown fields are skipped. Zero bytes
// are an empty list.
//
// An upload has a thousand fields and more, and a call for a field costs as much as a short text. So everything
// that nearly every field needs is inlined into one loop, and the rest is not.
extension SDKEventReader {
    /// The fields that nearly all events have, by their kinds: a bit for each number.
    private struct Fields {
        var texts: UInt64 = 0
        /// All integers, and those of them that have 64 bits.
        var integers: UInt64 = 0
        var longs: UInt64 = 0
    }

    private static let fields = SDKEventField.allCases.reduce(into: Fields()) { fields, field in
        let bit = SDKEventTally.bit(of: field)
        switch field.kind {
        case .text: fields.texts |= bit
        case .int32: fields.integers |= bit
        case .int64:
            fields.integers |= bit
            fields.longs |= bit
        case .double, .map, .resource, .eventType: break
        }
    }

    func protobuf(_ bytes: [UInt8]) throws(SDKUploadFault) -> Result {
        let (span, fields) = (bytes.span, Self.fields)
        var tally = SDKEventTally(self.limits, bytes: bytes.count)
        var values: [SDKEvent.Value] = []
        // A field of the SDK has 12 bytes on average.
        values.reserveCapacity(bytes.count / 8)
        var list = ProtobufReader(0..<bytes.count)
        while !list.isAtEnd {
            guard let tag = list.varint(in: span) else { throw .protobuf }
            guard tag == 1 << 3 | 2 else {
                _ = try Self.content(&list, of: tag, in: span)
                continue
            }
            guard let event = list.content(in: span) else { throw .protobuf }
            try tally.beginEvent(at: values.count)
            // Two bytes can make two values: the shortest entry of a resource item has an empty name and value.
            let room = min(event.count, 2 * tally.fieldsLeft) + 1
            try values.append(addingCapacity: room) { (slots) throws(SDKUploadFault) in
                try Self.event(span, event, fields: fields, into: &slots, tally: &tally)
            }
            let end = tally.endEvent(at: values.count)
            if end < values.count { values.removeLast(values.count - end) }
        }
        return (bytes, values, tally)
    }

    private static func event(
        _ upload: Span<UInt8>,
        _ range: Range<Int>,
        fields: Fields,
        into slots: inout OutputSpan<SDKEvent.Value>,
        tally: inout SDKEventTally
    ) throws(SDKUploadFault) {
        let (bytes, start) = (upload.extracting(range), range.lowerBound)
        var message = ProtobufReader(0..<bytes.count)
        var (seen, left) = (UInt64(0), tally.fieldsLeft)
        while !message.isAtEnd {
            guard let tag = message.varint(in: bytes) else { throw .protobuf }
            // The numbers of these fields have six bits, and three more bits say what follows.
            if tag < 1 << 9, tag & 7 == 2, fields.texts >> (tag >> 3) & 1 == 1 {
                guard let text = message.content(in: bytes) else { throw .protobuf }
                // proto3 leaves out what is empty or zero, so it means the same where it is written.
                guard !text.isEmpty else { continue }
                if !bytes.isASCII(in: text) { try self.checkUTF8(bytes, text) }
                guard left > 0 else { throw .tooLarge }
                left -= 1
                seen |= 1 << (tag >> 3)
                slots.append(
                    SDKEvent.Value(number: UInt8(truncatingIfNeeded: tag >> 3), .text, at: text, after: start)
                )
            } else if tag < 1 << 9, tag & 7 == 0, fields.integers >> (tag >> 3) & 1 == 1 {
                guard let bits = message.varint(in: bytes) else { throw .protobuf }
                guard bits != 0 else { continue }
                guard left > 0 else { throw .tooLarge }
                left -= 1
                let isLong = fields.longs >> (tag >> 3) & 1 == 1
                let number = isLong ? Int64(bitPattern: bits) : Int64(Int32(truncatingIfNeeded: bits))
                if tag >> 3 == SDKEventField.timestamp.rawValue { tally.timestamp = number }
                slots.append(SDKEvent.Value(number: UInt8(truncatingIfNeeded: tag >> 3), integer: number))
            } else {
                tally.fieldsLeft = left
                var rest = ProtobufReader(start + message.position..<range.upperBound)
                try self.other(tag, of: &rest, in: upload, into: &slots, tally: &tally)
                message = ProtobufReader(rest.position - start..<bytes.count)
                left = tally.fieldsLeft
            }
        }
        tally.fieldsLeft = left
        tally.texts |= seen
        // A type that is absent is the first.
        if tally.texts & SDKEventTally.bit(of: .eventType) == 0 {
            try self.put(SDKEvent.Value(.eventType, integer: 0), into: &slots, tally: &tally)
        }
    }

    /// Reads a field that is neither a text nor an integer.
    private static func other(
        _ tag: UInt64,
        of message: inout ProtobufReader,
        in bytes: Span<UInt8>,
        into slots: inout OutputSpan<SDKEvent.Value>,
        tally: inout SDKEventTally
    ) throws(SDKUploadFault) {
        let content = try self.content(&message, of: tag, in: bytes)
        guard tag >> 3 < SDKEventField.other.rawValue,
            let field = SDKEventField(rawValue: UInt8(tag >> 3))
        else { return }
        let value: SDKEvent.Value
        switch (field.kind, content) {
        case (.eventType, .varint(let number)):
            tally.texts |= SDKEventTally.bit(of: .eventType)
            value = SDKEvent.Value(field, integer: Int64(Int32(truncatingIfNeeded: number)))
        case (.double, .fixed64(let bits)):
            let number = Double(bitPattern: bits)
            guard number.isFinite, number != 0 else { return }
            value = SDKEvent.Value(field, double: number)
        case (.map, .bytes(let entry)):
            return try self.entry(bytes, entry, of: field, into: &slots, tally: &tally)
        case (.resource, .bytes(let item)):
            return try self.resource(bytes, item, into: &slots, tally: &tally)
        default: return
        }
        try self.put(value, into: &slots, tally: &tally)
    }

    @inline(__always)
    private static func put(
        _ value: SDKEvent.Value,
        into slots: inout OutputSpan<SDKEvent.Value>,
        tally: inout SDKEventTally
    ) throws(SDKUploadFault) {
        guard tally.fieldsLeft > 0 else { throw .tooLarge }
        tally.fieldsLeft -= 1
        slots.append(value)
    }

    /// Reads an entry of a map, whose name is field 1 and whose value is field 2.
    private static func entry(
        _ bytes: Span<UInt8>,
        _ range: Range<Int>,
        of field: SDKEventField,
        into slots: inout OutputSpan<SDKEvent.Value>,
        tally: inout SDKEventTally
    ) throws(SDKUploadFault) {
        var name = range.lowerBound..<range.lowerBound
        var value = name
        var message = ProtobufReader(range)
        while let (number, content) = try self.field(&message, bytes) {
            guard case .bytes(let text) = content, number == 1 || number == 2 else { continue }
            try self.checkUTF8(bytes, text)
            if number == 1 { name = text } else { value = text }
        }
        let entry = SDKEvent.Value(number: field.rawValue, .entryName, at: name)
        try self.put(entry, into: &slots, tally: &tally)
        slots.append(SDKEvent.Value(number: field.rawValue, .entryValue, at: value))
    }

    /// Reads a resource item: its id, its key, and attributes of its own.
    private static func resource(
        _ bytes: Span<UInt8>,
        _ range: Range<Int>,
        into slots: inout OutputSpan<SDKEvent.Value>,
        tally: inout SDKEventTally
    ) throws(SDKUploadFault) {
        var message = ProtobufReader(range)
        while let (number, content) = try self.field(&message, bytes) {
            guard case .bytes(let part) = content else { continue }
            let field = SDKEventField.resourceItem
            switch number {
            case 1, 2:
                try self.checkUTF8(bytes, part)
                let kind = number == 1 ? SDKEvent.Value.Kind.resourceID : .resourceKey
                let value = SDKEvent.Value(number: field.rawValue, kind, at: part)
                try self.put(value, into: &slots, tally: &tally)
            case 3: try self.entry(bytes, part, of: field, into: &slots, tally: &tally)
            default: break
            }
        }
    }

    /// Returns the next field of a message; nil at its end.
    private static func field(
        _ reader: inout ProtobufReader,
        _ bytes: Span<UInt8>
    ) throws(SDKUploadFault) -> (number: UInt64, content: ProtobufReader.Content)? {
        do throws(ProtobufReader.Fault) {
            return try reader.field(in: bytes)
        } catch {
            throw .protobuf
        }
    }

    private static func content(
        _ reader: inout ProtobufReader,
        of tag: UInt64,
        in bytes: Span<UInt8>
    ) throws(SDKUploadFault) -> ProtobufReader.Content {
        do throws(ProtobufReader.Fault) {
            return try reader.content(of: tag, in: bytes)
        } catch {
            throw .protobuf
        }
    }

    private static func checkUTF8(_ bytes: Span<UInt8>, _ range: Range<Int>) throws(SDKUploadFault) {
        guard !bytes.isASCII(in: range) else { return }
        guard (try? UTF8Span(validating: bytes.extracting(range))) != nil else { throw .protobuf }
    }
}
