// The SDK's JSON: a list of objects, whose members have the names of the fields. Members that no SDK has are
// kept as they are.
extension SDKEventReader {
    /// The deepest nesting: an event is on the second level, an attribute's value on the fourth, and modules
    /// that are not known may nest further.
    private static let limits = JSONLimits(depth: 16, countsLeaves: true, values: 2_000_000)

    func json(_ bytes: [UInt8]) throws(SDKUploadFault) -> Result {
        let outline: JSONOutline
        do throws(JSONFault) {
            outline = try JSONOutline(parsing: bytes, Self.limits)
        } catch {
            throw .json
        }
        guard outline.kind(outline.root) == .array else { throw .jsonShape }
        var builder = JSONEvents(outline)
        var index = outline.root + 1
        let end = outline.index(after: outline.root)
        while index < end {
            guard builder.events.count < self.eventsLimit else { throw .tooManyEvents }
            try builder.add(index)
            index = outline.index(after: index)
        }
        return (builder.text, builder.values, builder.events)
    }
}

/// Turns the objects of a JSON document into events. Texts without escapes stay where they are; the others are
/// appended to the bytes.
private struct JSONEvents {
    private let outline: JSONOutline
    private(set) var text: [UInt8]
    private(set) var values: [SDKEvent.Value] = []
    private(set) var events: [Range<Int>] = []

    init(_ outline: JSONOutline) {
        self.outline = outline
        self.text = outline.text
        self.values.reserveCapacity(outline.text.count / 16)
    }

    mutating func add(_ event: Int) throws(SDKUploadFault) {
        guard self.outline.kind(event) == .object else { throw .jsonShape }
        let start = self.values.count
        var index = event + 1
        let end = self.outline.index(after: event)
        while index < end {
            try self.addMember(name: index, index + 1)
            index = self.outline.index(after: index + 1)
        }
        self.events.append(start..<self.values.count)
    }

    private mutating func addMember(name: Int, _ value: Int) throws(SDKUploadFault) {
        guard self.outline.kind(value) != .null else { return }
        guard let field = self.outline.string(name).flatMap({ SDKEventField.byName[$0] }) else {
            let content = SDKEvent.Content.entry(
                name: self.slice(name),
                value: SDKEvent.Slice(self.outline.wholeRange(value))
            )
            return self.values.append(SDKEvent.Value(field: .other, content: content))
        }
        switch field.kind {
        case .text, .eventType: self.append(field, .text(try self.scalar(value)))
        case .int32, .int64: self.append(field, .integer(try self.integer(value)))
        case .double: self.append(field, .double(try self.double(value)))
        case .map: try self.addMap(field, value)
        case .resource: try self.addResource(value)
        }
    }

    private mutating func append(_ field: SDKEventField, _ content: SDKEvent.Content) {
        self.values.append(SDKEvent.Value(field: field, content: content))
    }

    private mutating func addMap(_ field: SDKEventField, _ object: Int) throws(SDKUploadFault) {
        try self.forEachMember(of: object) { events, name, value throws(SDKUploadFault) in
            guard events.outline.kind(value) != .null else { return }
            let content: SDKEvent.Slice
            switch events.outline.kind(value) {
            case .array, .object: content = SDKEvent.Slice(events.outline.wholeRange(value))
            default: content = try events.scalar(value)
            }
            events.append(field, .entry(name: events.slice(name), value: content))
        }
    }

    private mutating func addResource(_ object: Int) throws(SDKUploadFault) {
        try self.forEachMember(of: object) { events, name, value throws(SDKUploadFault) in
            switch events.outline.string(name) {
            case "id": events.append(.resourceItem, .resource(.id, try events.scalar(value)))
            case "key": events.append(.resourceItem, .resource(.key, try events.scalar(value)))
            case "attributes": try events.addMap(.resourceItem, value)
            default: break
            }
        }
    }

    private mutating func forEachMember(
        of object: Int,
        _ body: (inout JSONEvents, _ name: Int, _ value: Int) throws(SDKUploadFault) -> Void
    ) throws(SDKUploadFault) {
        guard self.outline.kind(object) == .object else { throw .jsonShape }
        var index = object + 1
        let end = self.outline.index(after: object)
        while index < end {
            try body(&self, index, index + 1)
            index = self.outline.index(after: index + 1)
        }
    }

    /// Returns a text, or the number or truth value as it is written.
    private mutating func scalar(_ value: Int) throws(SDKUploadFault) -> SDKEvent.Slice {
        switch self.outline.kind(value) {
        case .string: return self.slice(value)
        case .number, .true, .false: return SDKEvent.Slice(self.outline.range(value))
        case .null, .array, .object: throw .jsonShape
        }
    }

    /// Returns the text of a string or a name, without escapes.
    private mutating func slice(_ string: Int) -> SDKEvent.Slice {
        guard self.outline.hasEscapes(string) else { return SDKEvent.Slice(self.outline.range(string)) }
        let start = self.text.count
        self.text += self.outline.unescaped(string)
        return SDKEvent.Slice(start..<self.text.count)
    }

    private func number(_ value: Int) throws(SDKUploadFault) -> String {
        let kind = self.outline.kind(value)
        guard kind == .number || kind == .string else { throw .jsonShape }
        return String(decoding: self.outline.bytes(value), as: UTF8.self)
    }

    private func integer(_ value: Int) throws(SDKUploadFault) -> Int64 {
        let text = try self.number(value)
        guard let number = Int64(text) ?? Double(text).flatMap({ Int64(exactly: $0) }) else {
            throw .jsonShape
        }
        return number
    }

    private func double(_ value: Int) throws(SDKUploadFault) -> Double {
        guard let number = Double(try self.number(value)), number.isFinite else { throw .jsonShape }
        return number
    }
}
