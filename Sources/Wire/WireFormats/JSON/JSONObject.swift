/// The members of a JSON object, found but not yet read.
///
/// The syntax of the whole text has been checked; bytes that are not UTF-8 become U+FFFD when a string is
/// read. If a name occurs twice, its last value counts.
package struct JSONObject {
    private let text: [UInt8]
    /// The members in the order of the text. A list, because the objects that are read for every record have few
    /// members, of which a string or a hash would cost more than the search.
    private let members: [Member]

    /// The places of one member in the text.
    private struct Member {
        /// The name without its quotes.
        var name: Range<Int>
        var hasEscapes: Bool
        /// The value as it is written; a string with its quotes.
        var value = 0..<0
    }

    /// Finds the members. Nil if the text is not one JSON object, or nests deeper than the limit and `skipsDeeper` is
    /// false. A byte order mark before it and white space around it are allowed.
    package init?(_ text: [UInt8], depthLimit: Int = 32, skipsDeeper: Bool = false) {
        var reader = JSONReader(
            text,
            limits: JSONLimits(depth: depthLimit, skipsDeeper: skipsDeeper, countsLeaves: true),
            listener: Members()
        )
        do throws(JSONFault) {
            try reader.document()
        } catch {
            return nil
        }
        guard reader.listener.isObject else { return nil }
        self.text = text
        self.members = reader.listener.members
    }

    /// Returns the text of a member's value; nil if there is no such member or its value is null.
    package func value(_ name: String) -> ArraySlice<UInt8>? {
        guard let member = self.members.last(where: { self.isNamed($0, name) }),
            self.text[member.value.lowerBound] != UInt8(ascii: "n")
        else { return nil }
        return self.text[member.value]
    }

    /// Returns the places of the values of all members with one of these names, in the order of the text.
    func places(of names: [String]) -> [Range<Int>] {
        self.members.compactMap { member in
            names.contains { self.isNamed(member, $0) } ? member.value : nil
        }
    }

    private func isNamed(_ member: Member, _ name: String) -> Bool {
        let utf8 = name.utf8
        guard !member.hasEscapes else {
            return JSONText.unescaped(self.text[member.name]).elementsEqual(utf8)
        }
        guard member.name.count == utf8.count else { return false }
        let wanted = utf8.span
        for offset in wanted.indices where wanted[offset] != self.text[member.name.lowerBound + offset] {
            return false
        }
        return true
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
            limits: JSONLimits(depth: 1, skipsDeeper: true),
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

    /// Keeps the places of each member.
    private struct Members: JSONListener {
        private(set) var members: [Member] = []
        private(set) var isObject = false

        mutating func name(_ range: Range<Int>, hasEscapes: Bool, level: Int) {
            if level == 1 { self.members.append(Member(name: range, hasEscapes: hasEscapes)) }
        }

        mutating func leaf(_ kind: JSONKind, _ range: Range<Int>, hasEscapes: Bool, level: Int) {
            if level == 2 { self.found(range.whole(kind)) }
        }

        mutating func opened(_ kind: JSONKind, at start: Int) {}

        mutating func closed(_ mark: Void, _ kind: JSONKind, range: Range<Int>, level: Int) {
            if level == 2 { self.found(range) }
            if level == 1 { self.isObject = kind == .object }
        }

        /// A value in a list has no name, and no member to belong to.
        private mutating func found(_ value: Range<Int>) {
            if !self.members.isEmpty { self.members[self.members.count - 1].value = value }
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
