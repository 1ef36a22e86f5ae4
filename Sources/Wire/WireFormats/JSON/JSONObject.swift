/// The members of a JSON object, found but not yet read.
///
/// The syntax of the whole text has been checked; bytes that are not UTF-8 become U+FFFD when a string is
/// read. If a name occurs twice, its last value counts.
package struct JSONObject {
    private let text: [UInt8]
    private var values: [String: Range<Int>] = [:]

    /// Finds the members. Nil if the text is not one JSON object, or nests deeper than the limit. A byte
    /// order mark before it and white space around it are allowed.
    package init?(_ text: [UInt8], depthLimit: Int = 32) {
        var reader = JSONReader(
            text,
            limits: JSONLimits(depth: depthLimit, countsLeaves: true),
            listener: Members(text: text)
        )
        do throws(JSONFault) {
            try reader.document()
        } catch {
            return nil
        }
        guard reader.listener.isObject else { return nil }
        self.text = text
        self.values = reader.listener.values
    }

    /// Returns the text of a member's value; nil if there is no such member or its value is null.
    package func value(_ name: String) -> ArraySlice<UInt8>? {
        guard let range = self.values[name], self.text[range.lowerBound] != UInt8(ascii: "n") else {
            return nil
        }
        return self.text[range]
    }

    /// Returns the text of a member that is a string.
    func string(_ name: String) -> String? {
        guard let value = self.value(name), value.first == UInt8(ascii: "\"") else { return nil }
        return Self.unescaped(value.dropFirst().dropLast())
    }

    /// Returns the texts of a member that is an array of strings and of nothing else.
    func strings(_ name: String) -> [String]? {
        guard let elements = self.elements(name) else { return nil }
        var strings: [String] = []
        for element in elements {
            guard self.text[element.lowerBound] == UInt8(ascii: "\"") else { return nil }
            strings.append(Self.unescaped(self.text[element].dropFirst().dropLast()))
        }
        return strings
    }

    /// Returns the objects in a list; its other elements are left out. Nil if the member is no list.
    func objects(inList name: String) -> [JSONObject]? {
        guard let elements = self.elements(name) else { return nil }
        var objects: [JSONObject] = []
        for element in elements where self.text[element.lowerBound] == UInt8(ascii: "{") {
            JSONObject(Array(self.text[element])).map { objects.append($0) }
        }
        return objects
    }

    /// Returns how many elements a list has; nil if the member is no list.
    func elementCount(_ name: String) -> Int? { self.elements(name)?.count }

    /// Returns the places of the elements of a list; nil if the member is no list.
    private func elements(_ name: String) -> [Range<Int>]? {
        guard let value = self.value(name), value.first == UInt8(ascii: "[") else { return nil }
        // The whole text has been checked before, so the reading cannot fail.
        var reader = JSONReader(
            self.text,
            from: value.startIndex,
            limits: JSONLimits(depth: .max),
            listener: Elements()
        )
        try? reader.value()
        return reader.listener.ranges
    }

    /// Returns the number of a member that is a number without a fraction, in any spelling. A spelling with a
    /// point or an exponent is read as a Double, which is exact up to 2^53.
    func integer(_ name: String) -> Int64? {
        guard let value = self.value(name), let first = value.first else { return nil }
        guard first.isDigit || first == UInt8(ascii: "-") else { return nil }
        let digits = String(decoding: value, as: UTF8.self)
        return Int64(digits) ?? Double(digits).flatMap { Int64(exactly: $0) }
    }

    /// Returns a member that is true or false; nil for anything else, numbers and texts included.
    func bool(_ name: String) -> Bool? {
        switch self.value(name)?.first {
        case UInt8(ascii: "t"): true
        case UInt8(ascii: "f"): false
        default: nil
        }
    }

    private static func unescaped(_ text: ArraySlice<UInt8>) -> String {
        guard text.contains(UInt8(ascii: "\\")) else { return String(decoding: text, as: UTF8.self) }
        return String(decoding: JSONText.unescaped(text), as: UTF8.self)
    }

    /// Keeps the place of each member's value as it is written; a string with its quotes.
    private struct Members: JSONListener {
        let text: [UInt8]
        private(set) var values: [String: Range<Int>] = [:]
        private(set) var isObject = false
        private var name = 0..<0

        init(text: [UInt8]) { self.text = text }

        mutating func name(_ range: Range<Int>, hasEscapes: Bool, level: Int) {
            if level == 1 { self.name = range }
        }

        mutating func leaf(_ kind: JSONKind, _ range: Range<Int>, hasEscapes: Bool, level: Int) {
            if level == 2 { self.found(range.whole(kind)) }
        }

        mutating func opened(_ kind: JSONKind, at start: Int) {}

        mutating func closed(_ mark: Void, _ kind: JSONKind, range: Range<Int>, level: Int) {
            if level == 2 { self.found(range) }
            if level == 1 { self.isObject = kind == .object }
        }

        private mutating func found(_ value: Range<Int>) {
            self.values[JSONObject.unescaped(self.text[self.name])] = value
        }
    }

    /// Keeps the place of each element as it is written; a string with its quotes.
    private struct Elements: JSONListener {
        private(set) var ranges: [Range<Int>] = []

        func name(_ range: Range<Int>, hasEscapes: Bool, level: Int) {}

        mutating func leaf(_ kind: JSONKind, _ range: Range<Int>, hasEscapes: Bool, level: Int) {
            if level == 2 { self.ranges.append(range.whole(kind)) }
        }

        func opened(_ kind: JSONKind, at start: Int) {}

        mutating func closed(_ mark: Void, _ kind: JSONKind, range: Range<Int>, level: Int) {
            if level == 2 { self.ranges.append(range) }
        }
    }
}

extension Range<Int> {
    /// The place of a value with the quotes that are around it if it is a string.
    func whole(_ kind: JSONKind) -> Range<Int> {
        kind == .string ? self.lowerBound - 1..<self.upperBound + 1 : self
    }
}
