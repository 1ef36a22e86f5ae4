/// One event of an upload, decoded but not copied: its texts are slices of the upload.
///
/// A text that is empty counts as absent, because protobuf does not tell the two apart and the SDK writes
/// `"idfa": ""` where there is none.
package struct SDKEvent: Sendable {
    /// A slice of the upload's bytes.
    struct Slice: Hashable, Sendable {
        var start: Int32
        var end: Int32

        init(_ range: Range<Int>) {
            self.start = Int32(truncatingIfNeeded: range.lowerBound)
            self.end = Int32(truncatingIfNeeded: range.upperBound)
        }

        var range: Range<Int> { Int(self.start)..<Int(self.end) }
    }

    /// The content of a field.
    enum Content: Sendable {
        case text(Slice)
        case integer(Int64)
        case double(Double)
        /// An entry of a map, or a member of the JSON form that is not known, whose value is then JSON.
        case entry(name: Slice, value: Slice)
        /// The id or the key of a resource item, whose attributes are entries.
        case resource(ResourcePart, Slice)
    }

    /// The parts of a resource item that are no attributes.
    enum ResourcePart: Hashable, Sendable {
        case id
        case key
    }

    /// A field with its content. Maps occur once for each of their entries.
    struct Value: Sendable {
        var field: SDKEventField
        var content: Content
    }

    private let text: [UInt8]
    private let values: ArraySlice<Value>

    /// Makes an event. All slices must lie inside `text`.
    init(_ text: [UInt8], _ values: ArraySlice<Value>) {
        self.text = text
        self.values = values
    }

    /// Returns the text of a field; nil if it is absent, empty, or no text. If a field occurs twice, the last
    /// one counts.
    package func text(_ field: SDKEventField) -> String? {
        for value in self.values.reversed() where value.field == field {
            guard case .text(let slice) = value.content else { return nil }
            return slice.range.isEmpty ? nil : self.string(slice)
        }
        return nil
    }

    /// Returns the number of a field; nil if it is absent.
    package func integer(_ field: SDKEventField) -> Int64? {
        for value in self.values.reversed() where value.field == field {
            if case .integer(let number) = value.content { return number }
        }
        return nil
    }

    /// Returns the entries of a map, in the order of the upload; the last of two with the same name counts.
    package func entries(_ field: SDKEventField) -> [(name: String, value: String)] {
        var entries: [(name: String, value: String)] = []
        var places: [String: Int] = [:]
        for value in self.values where value.field == field {
            guard case .entry(let name, let content) = value.content else { continue }
            let key = self.string(name)
            if let place = places[key] {
                entries[place].value = self.string(content)
            } else {
                places[key] = entries.count
                entries.append((key, self.string(content)))
            }
        }
        return entries
    }

    /// Returns an attribute; nil if it is absent or empty.
    package func attribute(_ name: String) -> String? {
        for value in self.values.reversed() where value.field == .attributes {
            guard case .entry(let key, let content) = value.content,
                self.text[key.range].elementsEqual(name.utf8)
            else { continue }
            return content.range.isEmpty ? nil : self.string(content)
        }
        return nil
    }

    /// The type of the event. An event in JSON that names none has the type with the empty name.
    package var type: SDKEventType {
        for value in self.values.reversed() where value.field == .eventType {
            switch value.content {
            case .text(let slice):
                return SDKEventType(name: self.string(slice))
            case .integer(let number): return SDKEventType(number: number)
            default: break
            }
        }
        return SDKEventType(name: "")
    }

    /// Whether the event can be attributed at all: it says whose it is, from which app, and when it happened.
    var isAttributable: Bool {
        var hasDevice = false
        var hasSource = false
        var timestamp: Int64 = 0
        // One pass, because every event of every upload is asked.
        for value in self.values {
            switch (value.field, value.content) {
            case (.deviceId, .text(let slice)): hasDevice = !slice.range.isEmpty
            case (.dataSourceId, .text(let slice)): hasSource = !slice.range.isEmpty
            case (.timestamp, .integer(let number)): timestamp = number
            default: break
            }
        }
        return hasDevice && hasSource && timestamp > 0
    }

    /// Returns the last content of every field that is there, in the order of the fields' numbers.
    var lastContents: [(field: SDKEventField, content: Content)] {
        var last: [SDKEventField: Content] = [:]
        for value in self.values { last[value.field] = value.content }
        return last.map { ($0.key, $0.value) }.sorted { $0.field.rawValue < $1.field.rawValue }
    }

    /// Returns the text of a slice.
    func string(_ slice: Slice) -> String { String(decoding: self.text[slice.range], as: UTF8.self) }

    /// The id and the key of the resource item.
    var resource: (id: String?, key: String?) {
        var resource: (id: String?, key: String?) = (nil, nil)
        for value in self.values {
            guard case .resource(let part, let slice) = value.content else { continue }
            switch part {
            case .id: resource.id = self.string(slice)
            case .key: resource.key = self.string(slice)
            }
        }
        return resource
    }
}
