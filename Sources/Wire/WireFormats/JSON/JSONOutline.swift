/// The positions of all values in a JSON document (RFC 8259), in one list and in the order of the text. A
/// member's name stands directly before its value; the content of an object or a list stands directly behind
/// it.
///
/// The outline serves documents that are read a million times and of which little is kept: building a tree
/// takes many times as long. The syntax of the whole text has been checked. If a name occurs twice, its last
/// value counts.
///
/// An index is valid only for the outline that returned it. Another index may be out of bounds, which traps.
package struct JSONOutline {
    private struct Value: Hashable, Sendable {
        var kind: JSONKind
        /// Whether a string has escapes; false for other values.
        var hasEscapes = false
        /// The position in the text: a string without its quotes, a list or an object with its brackets.
        var start: Int32
        var end: Int32
        /// The index after this value and everything inside it.
        var next: Int32 = 0

        var range: Range<Int> { Int(self.start)..<Int(self.end) }
    }

    /// The text of the whole document.
    package let text: [UInt8]
    private let values: [Value]

    /// The deepest nesting of lists and objects that is read, unless the caller says otherwise; none of our
    /// messages nests as deep.
    package static let depthLimit = 64

    /// Reads the value that starts at `start`, with white space around it and perhaps a byte order mark
    /// before it. Nil if the text is not one such value, or nests deeper than the limit. The bytes before
    /// `start` may be anything, such as the frame of a schema registry.
    package init?(_ text: [UInt8], from start: Int = 0, depthLimit: Int = JSONOutline.depthLimit) {
        do throws(JSONFault) {
            try self.init(parsing: text, from: start, JSONLimits(depth: depthLimit))
        } catch {
            return nil
        }
    }

    /// Reads like `init(_:from:depthLimit:)`, and says what is wrong.
    package init(parsing text: [UInt8], from start: Int = 0, _ limits: JSONLimits) throws(JSONFault) {
        guard text.count <= Int32.max else { throw JSONFault(.tooLong, at: 0) }
        guard start <= text.count else { throw JSONFault(.noValue, at: text.count) }
        guard text.span.extracting(start...).isUTF8() else { throw JSONFault(.notUTF8, at: start) }
        var reader = JSONReader(
            text,
            from: start,
            limits: limits,
            listener: Values(reserving: text.count / 8)
        )
        try reader.document()
        self.text = text
        self.values = reader.listener.values
    }

    /// The index of the outermost value.
    package var root: Int { 0 }

    /// Returns the type of a value.
    package func kind(_ index: Int) -> JSONKind { self.values[index].kind }

    func hasEscapes(_ index: Int) -> Bool { self.values[index].hasEscapes }

    /// Returns the position of a value in the text: a string without its quotes and with its escapes.
    package func range(_ index: Int) -> Range<Int> { self.values[index].range }

    /// Returns the bytes at `range(_:)`.
    package func bytes(_ index: Int) -> ArraySlice<UInt8> { self.text[self.values[index].range] }

    /// Returns the index after a value and everything inside it: the next value in the same list or object,
    /// or the one behind that.
    package func index(after index: Int) -> Int { Int(self.values[index].next) }

    /// Calls back for every member of an object, with the indices of its name and its value. Other values
    /// have no members.
    package func members<Failure: Error>(
        of object: Int,
        _ body: (_ name: Int, _ value: Int) throws(Failure) -> Void
    ) throws(Failure) {
        guard self.values[object].kind == .object else { return }
        let end = self.index(after: object)
        var name = object + 1
        while name < end {
            try body(name, name + 1)
            name = self.index(after: name + 1)
        }
    }

    /// Returns the index of a member's value; nil if there is no such member, or the value is no object.
    package func member(_ object: Int, _ name: String) -> Int? {
        var found: Int?
        self.members(of: object) { index, value in
            if self.isNamed(index, name) { found = value }
        }
        return found
    }

    /// Returns whether a name, or any string, is this text, byte for byte, as JSON compares names.
    func isNamed(_ index: Int, _ name: String) -> Bool {
        let utf8 = name.utf8
        guard !self.values[index].hasEscapes else { return self.unescaped(index).elementsEqual(utf8) }
        return self.text.span.extracting(self.values[index].range).isEqual(to: utf8.span)
    }

    /// Returns the position of a value as it is written; a string with its quotes.
    package func wholeRange(_ index: Int) -> Range<Int> {
        self.range(index).whole(self.kind(index))
    }

    /// Returns the text of a string; nil for any other value.
    package func string(_ index: Int) -> String? {
        guard self.values[index].kind == .string else { return nil }
        if self.values[index].hasEscapes { return String(decoding: self.unescaped(index), as: UTF8.self) }
        return String(decoding: self.bytes(index), as: UTF8.self)
    }

    /// Returns a string without its escapes. Half of a surrogate pair of escapes is not Unicode, and becomes
    /// U+FFFD.
    func unescaped(_ index: Int) -> [UInt8] {
        self.values[index].hasEscapes ? JSONText.unescaped(self.bytes(index)) : Array(self.bytes(index))
    }

    /// Returns a string without its escapes; nil if it has half of a surrogate pair.
    func strictlyUnescaped(_ index: Int) -> [UInt8]? {
        self.values[index].hasEscapes
            ? JSONText.strictlyUnescaped(self.bytes(index)) : Array(self.bytes(index))
    }

    /// Puts everything that the reader finds into one list.
    private struct Values: JSONListener {
        private(set) var values: [Value] = []

        init(reserving capacity: Int) { self.values.reserveCapacity(capacity) }

        mutating func name(_ range: Range<Int>, hasEscapes: Bool, level: Int) {
            self.add(.string, range, hasEscapes: hasEscapes)
        }

        mutating func leaf(_ kind: JSONKind, _ range: Range<Int>, hasEscapes: Bool, level: Int) {
            self.add(kind, range, hasEscapes: hasEscapes)
        }

        mutating func opened(_ kind: JSONKind, at start: Int) -> Int {
            self.add(kind, start..<start, hasEscapes: false)
            return self.values.count - 1
        }

        mutating func closed(_ index: Int, _ kind: JSONKind, range: Range<Int>, level: Int) {
            self.values[index].end = Int32(range.upperBound)
            self.values[index].next = Int32(self.values.count)
        }

        private mutating func add(_ kind: JSONKind, _ range: Range<Int>, hasEscapes: Bool) {
            self.values.append(
                Value(
                    kind: kind,
                    hasEscapes: hasEscapes,
                    start: Int32(range.lowerBound),
                    end: Int32(range.upperBound),
                    next: Int32(self.values.count + 1)
                )
            )
        }
    }
}
