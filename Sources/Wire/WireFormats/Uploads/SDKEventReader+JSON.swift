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
        var builder = JSONEvents(outline, self.limits)
        var index = outline.root + 1
        let end = outline.index(after: outline.root)
        while index < end {
            guard builder.events.count < self.limits.events else { throw .tooManyEvents }
            try builder.add(index)
            index = outline.index(after: index)
        }
        return (builder.text, builder.values.all, builder.events)
    }
}

/// Turns the objects of a JSON document into events. Texts without escapes stay where they are; the others are
/// appended to the bytes.
private struct JSONEvents {
    private let outline: JSONOutline
    private(set) var text: [UInt8]
    private(set) var values: SDKEventReader.Values
    private(set) var events: [Range<Int>] = []

    init(_ outline: JSONOutline, _ limits: SDKUpload.Limits) {
        self.outline = outline
        self.text = outline.text
        self.values = SDKEventReader.Values(limits, bytes: outline.text.count)
    }

    mutating func add(_ event: Int) throws(SDKUploadFault) {
        guard self.outline.kind(event) == .object else { throw .jsonShape }
        let start = self.values.count
        try self.outline.members(of: event) { name, value throws(SDKUploadFault) in
            try self.addMember(name: name, value)
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
            return try self.values.append(.other, content)
        }
        switch field.kind {
        case .text, .eventType: try self.values.append(field, .text(self.scalar(value)))
        case .int32, .int64: try self.values.append(field, .integer(self.integer(value)))
        case .double: try self.values.append(field, .double(self.double(value)))
        case .map: try self.addMap(field, value)
        case .resource: try self.addResource(value)
        }
    }

    private mutating func addMap(_ field: SDKEventField, _ object: Int) throws(SDKUploadFault) {
        guard self.outline.kind(object) == .object else { throw .jsonShape }
        try self.outline.members(of: object) { name, value throws(SDKUploadFault) in
            guard self.outline.kind(value) != .null else { return }
            let content: SDKEvent.Slice
            switch self.outline.kind(value) {
            case .array, .object: content = SDKEvent.Slice(self.outline.wholeRange(value))
            default: content = try self.scalar(value)
            }
            try self.values.append(field, .entry(name: self.slice(name), value: content))
        }
    }

    private mutating func addResource(_ object: Int) throws(SDKUploadFault) {
        guard self.outline.kind(object) == .object else { throw .jsonShape }
        try self.outline.members(of: object) { name, value throws(SDKUploadFault) in
            switch self.outline.string(name) {
            case "id": try self.values.append(.resourceItem, .resource(.id, self.scalar(value)))
            case "key": try self.values.append(.resourceItem, .resource(.key, self.scalar(value)))
            case "attributes": try self.addMap(.resourceItem, value)
            default: break
            }
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
