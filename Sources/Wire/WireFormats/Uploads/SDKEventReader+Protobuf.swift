// The SDK's `EventV3List { repeated EventV3Dto values = 1; }` in proto3. Unknown fields are skipped. Zero bytes
// are an empty list.
//
// An upload has a thousand fields and more, and a call for a field costs as much as a short text. So everything
// that nearly every field needs is inlined into one loop, and the rest is not.
extension SDKEventReader {
    /// The fields with a text, a bit for each number.
    private static let texts = SDKEventField.allCases.lazy.filter { $0.kind == .text }
        .reduce(UInt64(0)) { $0 | SDKEventTally.bit(of: $1) }

    func protobuf(_ bytes: [UInt8]) throws(SDKUploadFault) -> Result {
        let (span, texts) = (bytes.span, Self.texts)
        var tally = SDKEventTally(self.limits)
        // A field of the SDK has 12 bytes on average.
        var values = [SDKEvent.Value](repeating: SDKEvent.Value(), count: bytes.count / 8)
        var position = 0
        var list = ProtobufReader(0..<bytes.count)
        while let (number, content) = try Self.field(&list, span) {
            guard number == 1, case .bytes(let event) = content else { continue }
            try tally.beginEvent(at: position)
            // Two bytes can make two values: the shortest entry of a resource item has an empty name and value.
            let room = position + min(event.count, 2 * tally.fieldsLeft) + 1
            if values.count < room {
                values += repeatElement(SDKEvent.Value(), count: max(room - values.count, values.count / 2))
            }
            var slots = values.mutableSpan
            try Self.event(span, event, texts: texts, into: &slots, at: &position, tally: &tally)
            position = tally.endEvent(at: position)
        }
        values.removeSubrange(position...)
        return (bytes, values, tally)
    }

    private static func event(
        _ bytes: Span<UInt8>,
        _ range: Range<Int>,
        texts: UInt64,
        into slots: inout MutableSpan<SDKEvent.Value>,
        at position: inout Int,
        tally: inout SDKEventTally
    ) throws(SDKUploadFault) {
        var message = ProtobufReader(range)
        var (place, seen, left) = (position, UInt64(0), tally.fieldsLeft)
        while !message.isAtEnd {
            guard let tag = message.varint(in: bytes) else { throw .protobuf }
            // The numbers of all texts have six bits, and three more bits say that a length follows.
            if tag < 1 << 9, tag & 7 == 2, texts >> (tag >> 3) & 1 == 1 {
                guard let text = message.content(in: bytes) else { throw .protobuf }
                // proto3 leaves out what is empty or zero, so it means the same where it is written.
                guard !text.isEmpty else { continue }
                if !bytes.isASCII(in: text) { try self.checkUTF8(bytes, text) }
                guard left > 0 else { throw .tooLarge }
                left -= 1
                seen |= 1 << (tag >> 3)
                slots[place] = SDKEvent.Value(number: UInt8(truncatingIfNeeded: tag >> 3), .text, at: text)
                place += 1
            } else {
                (position, tally.fieldsLeft) = (place, left)
                try self.other(tag, of: &message, in: bytes, into: &slots, at: &position, tally: &tally)
                (place, left) = (position, tally.fieldsLeft)
            }
        }
        (position, tally.fieldsLeft) = (place, left)
        tally.texts |= seen
        // A type that is absent is the first.
        if tally.texts & SDKEventTally.bit(of: .eventType) == 0 {
            try self.put(SDKEvent.Value(.eventType, integer: 0), into: &slots, at: &position, tally: &tally)
        }
    }

    /// Reads a field that is no text.
    private static func other(
        _ tag: UInt64,
        of message: inout ProtobufReader,
        in bytes: Span<UInt8>,
        into slots: inout MutableSpan<SDKEvent.Value>,
        at position: inout Int,
        tally: inout SDKEventTally
    ) throws(SDKUploadFault) {
        let content = try self.content(&message, of: tag, in: bytes)
        guard tag >> 3 < SDKEventField.other.rawValue,
            let field = SDKEventField(rawValue: UInt8(tag >> 3))
        else { return }
        let value: SDKEvent.Value
        switch (field.kind, content) {
        case (.int32, .varint(let number)) where number != 0:
            value = SDKEvent.Value(field, integer: Int64(Int32(truncatingIfNeeded: number)))
        case (.eventType, .varint(let number)):
            tally.texts |= SDKEventTally.bit(of: .eventType)
            value = SDKEvent.Value(field, integer: Int64(Int32(truncatingIfNeeded: number)))
        case (.int64, .varint(let number)) where number != 0:
            if field == .timestamp { tally.timestamp = Int64(bitPattern: number) }
            value = SDKEvent.Value(field, integer: Int64(bitPattern: number))
        case (.double, .fixed64(let bits)):
            let number = Double(bitPattern: bits)
            guard number.isFinite, number != 0 else { return }
            value = SDKEvent.Value(field, double: number)
        case (.map, .bytes(let entry)):
            return try self.entry(bytes, entry, of: field, into: &slots, at: &position, tally: &tally)
        case (.resource, .bytes(let item)):
            return try self.resource(bytes, item, into: &slots, at: &position, tally: &tally)
        default: return
        }
        try self.put(value, into: &slots, at: &position, tally: &tally)
    }

    @inline(__always)
    private static func put(
        _ value: SDKEvent.Value,
        into slots: inout MutableSpan<SDKEvent.Value>,
        at position: inout Int,
        tally: inout SDKEventTally
    ) throws(SDKUploadFault) {
        guard tally.fieldsLeft > 0 else { throw .tooLarge }
        tally.fieldsLeft -= 1
        slots[position] = value
        position += 1
    }

    /// Reads an entry of a map, whose name is field 1 and whose value is field 2.
    private static func entry(
        _ bytes: Span<UInt8>,
        _ range: Range<Int>,
        of field: SDKEventField,
        into slots: inout MutableSpan<SDKEvent.Value>,
        at position: inout Int,
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
        try self.put(entry, into: &slots, at: &position, tally: &tally)
        slots[position] = SDKEvent.Value(number: field.rawValue, .entryValue, at: value)
        position += 1
    }

    /// Reads a resource item: its id, its key, and attributes of its own.
    private static func resource(
        _ bytes: Span<UInt8>,
        _ range: Range<Int>,
        into slots: inout MutableSpan<SDKEvent.Value>,
        at position: inout Int,
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
                try self.put(value, into: &slots, at: &position, tally: &tally)
            case 3: try self.entry(bytes, part, of: field, into: &slots, at: &position, tally: &tally)
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
        guard (try? UTF8Span(validating: bytes.extracting(range))) != nil else { throw .protobuf }
    }
}
