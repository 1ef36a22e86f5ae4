// The SDK's `EventV3List { repeated EventV3Dto values = 1; }` in proto3. Unknown fields are skipped. Zero bytes
// are an empty list.
extension SDKEventReader {
    func protobuf(_ bytes: [UInt8]) throws(SDKUploadFault) -> Result {
        var values = Values(self.limits, bytes: bytes.count)
        var events: [Range<Int>] = []
        var list = ProtobufReader(0..<bytes.count)
        while let (number, content) = try Self.field(&list, bytes.span) {
            guard number == 1, case .bytes(let event) = content else { continue }
            guard events.count < self.limits.events else { throw .tooManyEvents }
            let start = values.count
            try self.event(bytes.span, event, into: &values)
            events.append(start..<values.count)
        }
        return (bytes, values.all, events)
    }

    private func event(
        _ bytes: Span<UInt8>,
        _ range: Range<Int>,
        into values: inout Values
    ) throws(SDKUploadFault) {
        var message = ProtobufReader(range)
        var hasType = false
        while let (number, content) = try Self.field(&message, bytes) {
            guard number < SDKEventField.other.rawValue,
                let field = SDKEventField(rawValue: UInt8(number))
            else { continue }
            switch (field.kind, content) {
            case (.text, .bytes(let text)):
                try Self.checkText(bytes, text)
                // proto3 leaves out what is empty or zero, so it means the same where it is written.
                guard !text.isEmpty else { continue }
                try values.append(field, .text(SDKEvent.Slice(text)))
            case (.int32, .varint(let number)) where number != 0:
                let value = Int64(Int32(truncatingIfNeeded: number))
                try values.append(field, .integer(value))
            case (.eventType, .varint(let number)):
                hasType = true
                let value = Int64(Int32(truncatingIfNeeded: number))
                try values.append(field, .integer(value))
            case (.int64, .varint(let number)) where number != 0:
                try values.append(field, .integer(Int64(bitPattern: number)))
            case (.double, .fixed64(let bits)):
                let value = Double(bitPattern: bits)
                if value.isFinite, value != 0 {
                    try values.append(field, .double(value))
                }
            case (.map, .bytes(let entry)):
                try values.append(field, try Self.entry(bytes, entry))
            case (.resource, .bytes(let resource)):
                try Self.resource(bytes, resource, into: &values)
            default: break
            }
        }
        if !hasType { try values.append(.eventType, .integer(0)) }
    }

    /// Reads an entry of a map, whose name is field 1 and whose value is field 2.
    private static func entry(
        _ bytes: Span<UInt8>,
        _ range: Range<Int>
    ) throws(SDKUploadFault) -> SDKEvent.Content {
        var name = range.lowerBound..<range.lowerBound
        var value = name
        var message = ProtobufReader(range)
        while let (number, content) = try Self.field(&message, bytes) {
            guard case .bytes(let text) = content, number == 1 || number == 2 else { continue }
            try self.checkText(bytes, text)
            if number == 1 { name = text } else { value = text }
        }
        return .entry(name: SDKEvent.Slice(name), value: SDKEvent.Slice(value))
    }

    /// Reads a resource item: its id, its key, and attributes of its own.
    private static func resource(
        _ bytes: Span<UInt8>,
        _ range: Range<Int>,
        into values: inout Values
    ) throws(SDKUploadFault) {
        var message = ProtobufReader(range)
        while let (number, content) = try Self.field(&message, bytes) {
            guard case .bytes(let part) = content else { continue }
            switch number {
            case 1, 2:
                try self.checkText(bytes, part)
                let content = SDKEvent.Content.resource(number == 1 ? .id : .key, SDKEvent.Slice(part))
                try values.append(.resourceItem, content)
            case 3:
                try values.append(
                    .resourceItem,
                    try self.entry(bytes, part)
                )
            default: break
            }
        }
    }

    /// Returns the next field of a message; nil at its end.
    @inline(__always)
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

    /// Checks that a text is UTF-8. Nearly all texts are short and ASCII, and need no call.
    @inline(__always)
    private static func checkText(_ bytes: Span<UInt8>, _ range: Range<Int>) throws(SDKUploadFault) {
        let text = bytes.extracting(range)
        var all: UInt8 = 0
        for index in text.indices { all |= text[index] }
        guard all >= 0x80 else { return }
        guard (try? UTF8Span(validating: text)) != nil else { throw .protobuf }
    }
}
