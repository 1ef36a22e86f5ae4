// The SDK's JSON: a list of objects, whose members have the names of the fields. Members that no SDK has are
// kept as they are.
extension SDKEventReader {
    /// The deepest nesting: an event is on the second level, an attribute's value on the fourth, and modules
    /// that are not known may nest further.
    private static let limits = JSONLimits(depth: 64, countsLeaves: true, values: 2_000_000)

    func json(_ bytes: [UInt8]) throws(SDKUploadFault) -> Result {
        let outline: JSONOutline
        do throws(JSONFault) {
            outline = try JSONOutline(parsing: bytes, Self.limits)
        } catch {
            throw error.cause == .tooManyValues ? .tooLarge : .json
        }
        guard outline.kind(outline.root) == .array else { throw .jsonShape }
        var builder = JSONEvents(outline, self.limits)
        var index = outline.root + 1
        let end = outline.index(after: outline.root)
        while index < end {
            try builder.add(index)
            index = outline.index(after: index)
        }
        return (builder.text, builder.values, builder.tally)
    }
}

/// Turns the objects of a JSON document into events. Texts without escapes stay where they are; the others are
/// appended to the bytes.
private struct JSONEvents {
    private let outline: JSONOutline
    private let names = SDKFieldNames.all
    private(set) var text: [UInt8]
    private(set) var values: [SDKEvent.Value] = []
    private(set) var tally: SDKEventTally

    init(_ outline: JSONOutline, _ limits: SDKUpload.Limits) {
        self.outline = outline
        self.text = outline.text
        self.tally = SDKEventTally(limits, bytes: outline.text.count)
        self.values.reserveCapacity(outline.text.count / 16)
    }

    mutating func add(_ event: Int) throws(SDKUploadFault) {
        try self.tally.beginEvent(at: self.values.count)
        guard self.outline.kind(event) == .object else { throw .jsonShape }
        // Found at most once for an event: to look for it takes as long as the event has members.
        var isOfUnknownType: Bool?
        try self.outline.members(of: event) { name, value throws(SDKUploadFault) in
            let (count, fieldsLeft, texts) = (self.values.count, self.tally.fieldsLeft, self.tally.texts)
            do throws(SDKUploadFault) {
                try self.addMember(name: name, value)
            } catch .jsonShape {
                let isUnknown = isOfUnknownType ?? self.isOfUnknownType(event)
                isOfUnknownType = isUnknown
                guard isUnknown else { throw .jsonShape }
                // A type that nobody knows yet may have another use for the name.
                self.values.removeSubrange(count...)
                (self.tally.fieldsLeft, self.tally.texts) = (fieldsLeft, texts)
                try self.append(.other, entry: name, value: self.outline.wholeRange(value))
            }
        }
        self.values.removeSubrange(self.tally.endEvent(at: self.values.count)...)
    }

    private mutating func addMember(name: Int, _ value: Int) throws(SDKUploadFault) {
        guard self.outline.kind(value) != .null else { return }
        guard let field = self.field(name) else {
            return try self.append(.other, entry: name, value: self.outline.wholeRange(value))
        }
        switch field.kind {
        case .text, .eventType: try self.append(field, .text, at: self.scalar(value))
        case .int32, .int64:
            let number = try self.integer(value)
            if field == .timestamp { self.tally.timestamp = number }
            try self.append(SDKEvent.Value(field, integer: number))
        case .double: try self.append(SDKEvent.Value(field, double: self.double(value)))
        case .map: try self.addMap(field, value)
        case .resource: try self.addResource(value)
        }
    }

    /// Whether the event has a type that is none of the SDK's.
    private func isOfUnknownType(_ event: Int) -> Bool {
        var isUnknown = false
        self.outline.members(of: event) { name, value in
            guard self.field(name) == .eventType, self.outline.kind(value) == .string else { return }
            isUnknown = self.outline.string(value).map { !SDKEventType(name: $0).isKnown } ?? false
        }
        return isUnknown
    }

    private func field(_ name: Int) -> SDKEventField? {
        guard !self.outline.hasEscapes(name) else {
            return self.names.field(self.outline.unescaped(name).span)
        }
        return self.names.field(self.outline.text.span.extracting(self.outline.range(name)))
    }

    private mutating func append(_ value: SDKEvent.Value) throws(SDKUploadFault) {
        guard self.tally.fieldsLeft > 0 else { throw .tooLarge }
        self.tally.fieldsLeft -= 1
        self.values.append(value)
    }

    /// Appends a text. An empty one counts as absent.
    private mutating func append(
        _ field: SDKEventField,
        _ kind: SDKEvent.Value.Kind,
        at text: Range<Int>
    ) throws(SDKUploadFault) {
        let bit = SDKEventTally.bit(of: field)
        if text.isEmpty { self.tally.texts &= ~bit } else { self.tally.texts |= bit }
        try self.append(SDKEvent.Value(number: field.rawValue, kind, at: text))
    }

    /// Appends an entry of a map, which counts as one field.
    private mutating func append(
        _ field: SDKEventField,
        entry name: Int,
        value: Range<Int>
    ) throws(SDKUploadFault) {
        try self.append(SDKEvent.Value(number: field.rawValue, .entryName, at: self.slice(name)))
        self.values.append(SDKEvent.Value(number: field.rawValue, .entryValue, at: value))
    }

    private mutating func addMap(_ field: SDKEventField, _ object: Int) throws(SDKUploadFault) {
        guard self.outline.kind(object) == .object else { throw .jsonShape }
        try self.outline.members(of: object) { name, value throws(SDKUploadFault) in
            guard self.outline.kind(value) != .null else { return }
            let content: Range<Int>
            switch self.outline.kind(value) {
            case .array, .object: content = self.outline.wholeRange(value)
            default: content = try self.scalar(value)
            }
            try self.append(field, entry: name, value: content)
        }
    }

    private mutating func addResource(_ object: Int) throws(SDKUploadFault) {
        guard self.outline.kind(object) == .object else { throw .jsonShape }
        try self.outline.members(of: object) { name, value throws(SDKUploadFault) in
            guard self.outline.kind(value) != .null else { return }
            if self.outline.isNamed(name, "id") {
                try self.append(.resourceItem, .resourceID, at: self.scalar(value))
            } else if self.outline.isNamed(name, "key") {
                try self.append(.resourceItem, .resourceKey, at: self.scalar(value))
            } else if self.outline.isNamed(name, "attributes") {
                try self.addMap(.resourceItem, value)
            }
        }
    }

    /// Returns a text, or the number or truth value as it is written.
    private mutating func scalar(_ value: Int) throws(SDKUploadFault) -> Range<Int> {
        switch self.outline.kind(value) {
        case .string: return self.slice(value)
        case .number, .true, .false: return self.outline.range(value)
        case .null, .array, .object: throw .jsonShape
        }
    }

    /// Returns the text of a string or a name, without escapes.
    private mutating func slice(_ string: Int) -> Range<Int> {
        guard self.outline.hasEscapes(string) else { return self.outline.range(string) }
        let start = self.text.count
        self.text += self.outline.unescaped(string)
        return start..<self.text.count
    }

    private func number(_ value: Int) throws(SDKUploadFault) -> String {
        let kind = self.outline.kind(value)
        guard kind == .number || kind == .string else { throw .jsonShape }
        return String(decoding: self.outline.bytes(value), as: UTF8.self)
    }

    private func integer(_ value: Int) throws(SDKUploadFault) -> Int64 {
        // Nearly all numbers are a few digits, for which no string need be made.
        if self.outline.kind(value) == .number, let number = self.outline.bytes(value).decimal(as: Int64.self)
        {
            return number
        }
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
