/// A scanner that steps over JSON (RFC 8259) value by value. It checks the syntax of all of it and keeps
/// nothing.
///
/// The scanner serves the few places that have to find a part of a document instead of reading it, such as
/// the payload inside an event. SwiftProtobuf decodes the messages themselves. Strings are not checked for
/// UTF-8.
struct JSONScanner {
    /// The text is not JSON, or nests deeper than the limit.
    struct Fault: Error {}

    let text: [UInt8]
    private(set) var position: Int
    private let depthLimit: Int

    /// Begins at a byte of the text. `depthLimit` counts levels: the outermost value is on level 1, and a
    /// leaf inside it already on level 2.
    init(_ text: [UInt8], from position: Int = 0, depthLimit: Int) {
        self.text = text
        self.position = position
        self.depthLimit = depthLimit
    }

    var isAtEnd: Bool { self.position == self.text.count }

    mutating func skipWhiteSpace() {
        while self.position < self.text.count, self.text[self.position].isJSONWhiteSpace {
            self.position += 1
        }
    }

    /// Steps over the next byte if it is the expected character; returns whether it was.
    mutating func skip(_ expected: Unicode.Scalar) -> Bool {
        guard self.position < self.text.count, self.text[self.position] == UInt8(ascii: expected) else {
            return false
        }
        self.position += 1
        return true
    }

    /// Steps over the value that starts at the position, and returns its range.
    mutating func skipValue(depth: Int = 1) throws(Fault) -> Range<Int> {
        let start = self.position
        guard start < self.text.count, depth <= self.depthLimit else { throw Fault() }
        switch self.text[start] {
        case UInt8(ascii: "{"): try self.members(depth: depth) { _, _ in }
        case UInt8(ascii: "["): try self.elements(depth: depth) { _ in }
        case UInt8(ascii: "\""): _ = try self.skipString()
        case UInt8(ascii: "t"): try self.skipLiteral("true")
        case UInt8(ascii: "f"): try self.skipLiteral("false")
        case UInt8(ascii: "n"): try self.skipLiteral("null")
        default: try self.skipNumber()
        }
        return start..<self.position
    }

    /// Steps over an object. Calls back with the ranges of each name, without its quotes, and of each value.
    mutating func members(
        depth: Int = 1,
        _ found: (_ name: Range<Int>, _ value: Range<Int>) -> Void
    ) throws(Fault) {
        guard self.skip("{") else { throw Fault() }
        self.skipWhiteSpace()
        if self.skip("}") { return }
        while true {
            self.skipWhiteSpace()
            let name = try self.skipString()
            self.skipWhiteSpace()
            guard self.skip(":") else { throw Fault() }
            self.skipWhiteSpace()
            let value = try self.skipValue(depth: depth + 1)
            found(name, value)
            self.skipWhiteSpace()
            if self.skip("}") { return }
            guard self.skip(",") else { throw Fault() }
        }
    }

    /// Steps over an array, and calls back with the range of each element.
    mutating func elements(depth: Int = 1, _ found: (_ element: Range<Int>) -> Void) throws(Fault) {
        guard self.skip("[") else { throw Fault() }
        self.skipWhiteSpace()
        if self.skip("]") { return }
        while true {
            self.skipWhiteSpace()
            found(try self.skipValue(depth: depth + 1))
            self.skipWhiteSpace()
            if self.skip("]") { return }
            guard self.skip(",") else { throw Fault() }
        }
    }

    /// Steps over a string, and returns its range without the quotes.
    private mutating func skipString() throws(Fault) -> Range<Int> {
        guard self.skip("\"") else { throw Fault() }
        let start = self.position
        while self.position < self.text.count {
            switch self.text[self.position] {
            case UInt8(ascii: "\""):
                self.position += 1
                return start..<(self.position - 1)
            case UInt8(ascii: "\\"):
                self.position += 1
                try self.skipEscape()
            case 0x00..<0x20:
                throw Fault()
            default:
                self.position += 1
            }
        }
        throw Fault()
    }

    private mutating func skipEscape() throws(Fault) {
        guard self.position < self.text.count else { throw Fault() }
        switch self.text[self.position] {
        case UInt8(ascii: "u"):
            let digits = self.text.dropFirst(self.position + 1).prefix(4)
            guard digits.count == 4, digits.allSatisfy(\.isHexadecimal) else { throw Fault() }
            self.position += 5
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            self.position += 1
        default:
            throw Fault()
        }
    }

    private mutating func skipLiteral(_ literal: String) throws(Fault) {
        for character in literal.utf8 {
            guard self.position < self.text.count, self.text[self.position] == character else {
                throw Fault()
            }
            self.position += 1
        }
    }

    private mutating func skipNumber() throws(Fault) {
        _ = self.skip("-")
        if !self.skip("0") {
            try self.skipDigits()
        }
        if self.skip(".") {
            try self.skipDigits()
        }
        if self.skip("e") || self.skip("E") {
            if !self.skip("+") {
                _ = self.skip("-")
            }
            try self.skipDigits()
        }
    }

    private mutating func skipDigits() throws(Fault) {
        let start = self.position
        while self.position < self.text.count, self.text[self.position].isDigit {
            self.position += 1
        }
        guard self.position > start else { throw Fault() }
    }
}
