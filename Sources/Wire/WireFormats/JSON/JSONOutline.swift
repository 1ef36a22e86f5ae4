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
    /// The type of a value.
    package enum Kind: UInt8, Hashable, Sendable {
        case null
        case `true`
        case `false`
        case number
        case string
        case array
        case object
    }

    private struct Value: Hashable, Sendable {
        var kind: Kind
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

    /// Reads the value that starts at `start`, with white space around it and perhaps a byte order mark
    /// before it. Nil if the text is not one such value, or nests deeper than the limit. The bytes before
    /// `start` may be anything, such as the frame of a schema registry.
    package init?(_ text: [UInt8], from start: Int = 0, depthLimit: Int = JSONTree.depthLimit) {
        guard text.count <= Int32.max, text.indices.contains(start),
            (try? UTF8Span(validating: text.span.extracting(start...))) != nil
        else { return nil }
        var parser = Parser(text, from: start, depthLimit: depthLimit)
        guard parser.document() else { return nil }
        self.text = text
        self.values = parser.values
    }

    /// The index of the outermost value.
    package var root: Int { 0 }

    /// Returns the type of a value.
    package func kind(_ index: Int) -> Kind { self.values[index].kind }

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
    package func members(of object: Int, _ body: (_ name: Int, _ value: Int) -> Void) {
        guard self.values[object].kind == .object else { return }
        let end = self.index(after: object)
        var name = object + 1
        while name < end {
            body(name, name + 1)
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
        let range = self.values[index].range
        guard range.count == utf8.count else { return false }
        let wanted = utf8.span
        for offset in wanted.indices where wanted[offset] != self.text[range.lowerBound + offset] {
            return false
        }
        return true
    }

    /// Returns the text of a string; nil for any other value.
    package func string(_ index: Int) -> String? {
        guard self.values[index].kind == .string else { return nil }
        if self.values[index].hasEscapes { return String(decoding: self.unescaped(index), as: UTF8.self) }
        return String(decoding: self.bytes(index), as: UTF8.self)
    }

    /// Returns a string without its escapes. Half of a surrogate pair of escapes is not Unicode, and becomes
    /// U+FFFD.
    func unescaped(_ index: Int) -> [UInt8] { self.unescaped(index) { _ in } }

    /// Returns a string without its escapes; nil if it has half of a surrogate pair.
    func strictlyUnescaped(_ index: Int) -> [UInt8]? {
        var isWhole = true
        let bytes = self.unescaped(index) { isWhole = $0 != nil && isWhole }
        return isWhole ? bytes : nil
    }

    private func unescaped(_ index: Int, _ found: (Unicode.Scalar?) -> Void) -> [UInt8] {
        guard self.values[index].hasEscapes else { return Array(self.bytes(index)) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(self.values[index].range.count)
        var rest = self.bytes(index)
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\"), let escape = rest.popFirst() else {
                bytes.append(byte)
                continue
            }
            switch escape {
            case UInt8(ascii: "b"): bytes.append(0x08)
            case UInt8(ascii: "f"): bytes.append(0x0C)
            case UInt8(ascii: "n"): bytes.append(0x0A)
            case UInt8(ascii: "r"): bytes.append(0x0D)
            case UInt8(ascii: "t"): bytes.append(0x09)
            case UInt8(ascii: "u"):
                let scalar = Self.scalar(&rest)
                found(scalar)
                bytes += String(scalar ?? "\u{FFFD}").utf8
            default: bytes.append(escape)
            }
        }
        return bytes
    }

    /// Reads an escape from behind its `u` on; nil for half of a surrogate pair.
    private static func scalar(_ rest: inout ArraySlice<UInt8>) -> Unicode.Scalar? {
        let first = self.codeUnit(rest)
        rest = rest.dropFirst(4)
        guard UTF16.isLeadSurrogate(first), rest.starts(with: [UInt8(ascii: "\\"), UInt8(ascii: "u")]) else {
            return Unicode.Scalar(first)
        }
        let second = self.codeUnit(rest.dropFirst(2))
        guard UTF16.isTrailSurrogate(second) else { return nil }
        rest = rest.dropFirst(6)
        return Unicode.Scalar(0x10000 + (UInt32(first) & 0x3FF) << 10 + UInt32(second) & 0x3FF)
    }

    private static func codeUnit(_ digits: ArraySlice<UInt8>) -> UInt16 {
        digits.prefix(4).reduce(0) { $0 << 4 | UInt16($1.hexadecimalValue ?? 0) }
    }
}

// MARK: - Parsing

extension JSONOutline {
    private struct Parser {
        private let text: [UInt8]
        private let depthLimit: Int
        private var position: Int
        private(set) var values: [Value] = []

        init(_ text: [UInt8], from start: Int, depthLimit: Int) {
            self.text = text
            self.position = start
            self.depthLimit = depthLimit
            self.values.reserveCapacity(text.count / 8)
        }

        mutating func document() -> Bool {
            if self.text[self.position...].starts(with: JSONObject.byteOrderMark) {
                self.position += JSONObject.byteOrderMark.count
            }
            self.skipWhiteSpace()
            guard self.value(depth: 1) else { return false }
            self.skipWhiteSpace()
            return self.position == self.text.count
        }

        private var next: UInt8? { self.position < self.text.count ? self.text[self.position] : nil }

        private mutating func skipWhiteSpace() {
            while self.position < self.text.count, self.text[self.position].isJSONWhiteSpace {
                self.position += 1
            }
        }

        private mutating func skip(_ expected: UInt8) -> Bool {
            guard self.next == expected else { return false }
            self.position += 1
            return true
        }

        private mutating func value(depth: Int) -> Bool {
            switch self.next {
            case UInt8(ascii: "\""): self.string()
            case UInt8(ascii: "{"): self.nested(.object, UInt8(ascii: "}"), depth)
            case UInt8(ascii: "["): self.nested(.array, UInt8(ascii: "]"), depth)
            case UInt8(ascii: "t"): self.literal("true", .true)
            case UInt8(ascii: "f"): self.literal("false", .false)
            case UInt8(ascii: "n"): self.literal("null", .null)
            default: self.number()
            }
        }

        private mutating func add(_ kind: Kind, _ range: Range<Int>, hasEscapes: Bool = false) {
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

        private mutating func nested(_ kind: Kind, _ close: UInt8, _ depth: Int) -> Bool {
            guard depth <= self.depthLimit else { return false }
            let (index, start) = (self.values.count, self.position)
            self.add(kind, start..<start)
            self.position += 1
            self.skipWhiteSpace()
            if !self.skip(close) {
                repeat {
                    guard self.element(of: kind, depth) else { return false }
                    self.skipWhiteSpace()
                } while self.skip(UInt8(ascii: ","))
                guard self.skip(close) else { return false }
            }
            self.values[index].end = Int32(self.position)
            self.values[index].next = Int32(self.values.count)
            return true
        }

        private mutating func element(of kind: Kind, _ depth: Int) -> Bool {
            self.skipWhiteSpace()
            if kind == .object {
                guard self.next == UInt8(ascii: "\""), self.string() else { return false }
                self.skipWhiteSpace()
                guard self.skip(UInt8(ascii: ":")) else { return false }
                self.skipWhiteSpace()
            }
            return self.value(depth: depth + 1)
        }

        private mutating func string() -> Bool {
            self.position += 1
            let start = self.position
            var hasEscapes = false
            while let byte = self.next {
                switch byte {
                case UInt8(ascii: "\""):
                    self.add(.string, start..<self.position, hasEscapes: hasEscapes)
                    self.position += 1
                    return true
                case UInt8(ascii: "\\"):
                    hasEscapes = true
                    guard self.skipEscape() else { return false }
                case 0x00..<0x20: return false
                default: self.position += 1
                }
            }
            return false
        }

        private mutating func skipEscape() -> Bool {
            self.position += 1
            guard let escape = self.next else { return false }
            self.position += 1
            switch escape {
            case UInt8(ascii: "u"):
                let digits = self.text[self.position...].prefix(4)
                self.position += digits.count
                return digits.count == 4 && digits.allSatisfy(\.isHexadecimal)
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"),
                UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
                return true
            default: return false
            }
        }

        private mutating func literal(_ word: String, _ kind: Kind) -> Bool {
            guard self.text[self.position...].starts(with: word.utf8) else { return false }
            let start = self.position
            self.position += word.utf8.count
            self.add(kind, start..<self.position)
            return true
        }

        private mutating func number() -> Bool {
            let start = self.position
            _ = self.skip(UInt8(ascii: "-"))
            if !self.skip(UInt8(ascii: "0")) {
                guard self.skipDigits() else { return false }
            }
            if self.skip(UInt8(ascii: ".")) {
                guard self.skipDigits() else { return false }
            }
            if self.skip(UInt8(ascii: "e")) || self.skip(UInt8(ascii: "E")) {
                if !self.skip(UInt8(ascii: "+")) { _ = self.skip(UInt8(ascii: "-")) }
                guard self.skipDigits() else { return false }
            }
            self.add(.number, start..<self.position)
            return true
        }

        /// Steps over digits; returns false if there are none.
        private mutating func skipDigits() -> Bool {
            let start = self.position
            while self.position < self.text.count, self.text[self.position].isDigit { self.position += 1 }
            return self.position > start
        }
    }
}
