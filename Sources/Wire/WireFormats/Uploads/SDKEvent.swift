/// One event of an upload, decoded but not copied: its texts are slices of the upload.
///
/// A text that is empty counts as absent, because protobuf does not tell the two apart and the SDK writes
/// `"idfa": ""` where there is none.
package struct SDKEvent: Sendable {
    /// A field with its content, in 16 bytes and without anything that is counted. An upload of two megabytes has
    /// two hundred thousand of them.
    struct Value: Sendable {
        /// The meanings of the 64 bits.
        enum Kind: UInt8 {
            case text
            case integer
            case double
            /// The name in an entry of a map. The value of the entry is the next one in the list.
            case entryName
            case entryValue
            /// The id of a resource item, whose attributes are entries.
            case resourceID
            case resourceKey
        }

        /// The number of the field.
        let number: UInt8
        let kind: Kind
        private let bits: UInt64

        private init(_ number: UInt8, _ kind: Kind, bits: UInt64) {
            self.number = number
            self.kind = kind
            self.bits = bits
        }

        /// Makes a text, which stands in the bytes of the upload. They are far fewer than 4 GiB.
        ///
        /// - Parameters:
        ///   - text: The position of the text after `start`.
        ///   - start: A position in the upload.
        @inline(__always)
        init(number: UInt8, _ kind: Kind, at text: Range<Int>, after start: Int = 0) {
            let first = UInt64(UInt32(truncatingIfNeeded: start + text.lowerBound))
            self.init(number, kind, bits: first | UInt64(truncatingIfNeeded: text.count) << 32)
        }

        @inline(__always)
        init(number: UInt8, integer: Int64) {
            self.init(number, .integer, bits: UInt64(bitPattern: integer))
        }

        init(_ field: SDKEventField, integer: Int64) { self.init(number: field.rawValue, integer: integer) }

        init(_ field: SDKEventField, double: Double) {
            self.init(field.rawValue, .double, bits: double.bitPattern)
        }

        /// Whether this is the value of a field.
        func belongs(to field: SDKEventField) -> Bool { self.number == field.rawValue }

        /// The position of a text in the bytes of the upload.
        var range: Range<Int> {
            let start = Int(self.bits & 0xFFFF_FFFF)
            return start..<start + Int(self.bits >> 32)
        }

        var integer: Int64 { Int64(bitPattern: self.bits) }
        var double: Double { Double(bitPattern: self.bits) }
    }

    /// The upload that all its events share.
    final class Source: Sendable {
        /// The bytes of all texts.
        let text: [UInt8]
        /// The fields of all events.
        let values: [Value]

        /// All texts must lie inside the bytes.
        init(_ text: [UInt8], _ values: [Value]) {
            self.text = text
            self.values = values
        }
    }

    private let source: Source
    private let range: Range<Int>

    /// Makes the event whose fields stand in a range of all.
    init(_ source: Source, _ range: Range<Int>) {
        self.source = source
        self.range = range
    }

    private var values: ArraySlice<Value> { self.source.values[self.range] }

    /// Returns the text of a field; nil if it is absent, empty, or no text. If a field occurs twice, the last
    /// one counts.
    package func text(_ field: SDKEventField) -> String? {
        guard let value = self.values.last(where: { $0.belongs(to: field) }), value.kind == .text,
            !value.range.isEmpty
        else { return nil }
        return self.string(value)
    }

    /// Returns the number of a field; nil if it is absent.
    package func integer(_ field: SDKEventField) -> Int64? {
        self.values.last { $0.belongs(to: field) && $0.kind == .integer }?.integer
    }

    /// Returns the entries of a map, in the order of the upload; the last of two with the same name counts. Names are
    /// the same if their bytes are: hashing a string of a phone's choice can take hours.
    package func entries(_ field: SDKEventField) -> [(name: String, value: String)] {
        var entries: [(name: String, value: String)] = []
        var places: [ArraySlice<UInt8>: Int] = [:]
        for (name, value) in zip(self.values, self.values.dropFirst())
        where name.belongs(to: field) && name.kind == .entryName {
            let key = self.source.text[name.range]
            if let place = places[key] {
                entries[place].value = self.string(value)
            } else {
                places[key] = entries.count
                entries.append((self.string(name), self.string(value)))
            }
        }
        return entries
    }

    /// Whether every reader of JSON can be expected to read the names of the event's attributes and other members.
    package var hasReadableNames: Bool {
        !self.values.contains { $0.kind == .entryName && $0.range.count > SDKForeignValue.nameLimit }
    }

    /// Returns an attribute; nil if it is absent or empty.
    package func attribute(_ name: String) -> String? {
        for index in self.values.indices.reversed() {
            let value = self.values[index]
            guard value.belongs(to: .attributes), value.kind == .entryName,
                self.source.text[value.range].elementsEqual(name.utf8)
            else { continue }
            let content = self.values[index + 1]
            return content.range.isEmpty ? nil : self.string(content)
        }
        return nil
    }

    /// The type of the event. An event in JSON that names none has the type with the empty name.
    package var type: SDKEventType {
        guard let value = self.values.last(where: { $0.belongs(to: .eventType) }) else {
            return SDKEventType(name: "")
        }
        return value.kind == .integer
            ? SDKEventType(number: value.integer) : SDKEventType(name: self.string(value))
    }

    /// Returns the last value of every field that is there, in the order of the fields' numbers.
    var lastValues: [(field: SDKEventField, value: Value)] {
        var last: [UInt8: Value] = [:]
        for value in self.values { last[value.number] = value }
        return last.values.sorted { $0.number < $1.number }.compactMap { value in
            SDKEventField(rawValue: value.number).map { ($0, value) }
        }
    }

    /// Returns the text of a value that is one.
    func string(_ value: Value) -> String {
        String(decoding: self.source.text[value.range], as: UTF8.self)
    }

    /// The id and the key of the resource item.
    var resource: (id: String?, key: String?) {
        func last(_ kind: Value.Kind) -> String? {
            self.values.last { $0.kind == kind }.map { self.string($0) }
        }
        return (last(.resourceID), last(.resourceKey))
    }
}
