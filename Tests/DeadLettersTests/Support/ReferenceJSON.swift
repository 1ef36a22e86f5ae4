import WireFormats

@testable import DeadLetters

/// A second reader of JSON, which shares no code with the first one, so that the two can be held to each other.
/// It says what is wrong, and where, as people are told it.
struct ReferenceJSON {
    struct Failure: Error {
        var sentence: String
        var offset: Int
    }

    private let text: [UInt8]
    private let takesHalfPairs: Bool
    private var position = 0
    private var depth = 0
    private var count = 0
    private var members: [(name: Int, value: Int)] = []

    private init(_ text: [UInt8], takesHalfPairs: Bool) {
        self.text = text
        self.takesHalfPairs = takesHalfPairs
        if text.starts(with: JSONText.byteOrderMark) { self.position = JSONText.byteOrderMark.count }
    }

    /// Reads a document, or says what `JSONTree` has to say about it.
    static func document(_ text: [UInt8], takesHalfPairs: Bool) throws(JSONTree.Fault) -> JSONTree.Document {
        guard String(validating: text, as: UTF8.self) != nil else {
            throw JSONTree.Fault(line: 1, column: 1, sentence: "The text is not UTF-8.")
        }
        var reader = ReferenceJSON(text, takesHalfPairs: takesHalfPairs)
        do throws(Failure) {
            return try reader.document()
        } catch {
            throw JSONTree.fault(error.sentence, at: error.offset, in: text)
        }
    }

    private mutating func document() throws(Failure) -> JSONTree.Document {
        self.skipWhiteSpace()
        let tree = try self.value()
        self.skipWhiteSpace()
        guard self.position == self.text.count else {
            throw self.failure("Something follows the value, which should be all there is.")
        }
        return JSONTree.Document(tree: tree, members: self.members)
    }

    private var next: UInt8? { self.position < self.text.count ? self.text[self.position] : nil }

    private func failure(_ sentence: String) -> Failure { Failure(sentence: sentence, offset: self.position) }

    private mutating func skipWhiteSpace() {
        while let next, next.isJSONWhiteSpace { self.position += 1 }
    }

    private mutating func skip(_ expected: Unicode.Scalar) -> Bool {
        guard self.next == UInt8(ascii: expected) else { return false }
        self.position += 1
        return true
    }

    private mutating func value() throws(Failure) -> JSONTree {
        self.count += 1
        guard self.count <= JSONTree.valuesLimit else {
            throw self.failure("There are more than \(JSONTree.valuesLimit) values.")
        }
        switch self.next {
        case UInt8(ascii: "{"): return try self.nested { parser throws(Failure) in try parser.object() }
        case UInt8(ascii: "["): return try self.nested { parser throws(Failure) in try parser.array() }
        case UInt8(ascii: "\""): return .string(try self.string())
        case UInt8(ascii: "t"): return try self.literal("true", .bool(true))
        case UInt8(ascii: "f"): return try self.literal("false", .bool(false))
        case UInt8(ascii: "n"): return try self.literal("null", .null)
        case nil: throw self.failure("The text ends where a value should stand.")
        default: return .number(try self.number())
        }
    }

    private mutating func nested(
        _ body: (inout ReferenceJSON) throws(Failure) -> JSONTree
    ) throws(Failure) -> JSONTree {
        self.depth += 1
        defer { self.depth -= 1 }
        guard self.depth <= JSONTree.depthLimit else {
            throw self.failure("It nests deeper than \(JSONTree.depthLimit) levels.")
        }
        self.position += 1
        self.skipWhiteSpace()
        return try body(&self)
    }

    private mutating func object() throws(Failure) -> JSONTree {
        var members: [JSONTree.Member] = []
        if self.skip("}") { return .object([]) }
        while true {
            let nameStart = self.position
            guard self.next == UInt8(ascii: "\"") else {
                throw self.failure("Here should stand the name of a member, in double quotes.")
            }
            let name = try self.string()
            self.skipWhiteSpace()
            guard self.skip(":") else { throw self.failure("A colon should follow the name of a member.") }
            self.skipWhiteSpace()
            let valueStart = self.position
            members.append(JSONTree.Member(name, try self.value()))
            if self.depth == 1 { self.members.append((nameStart, valueStart)) }
            self.skipWhiteSpace()
            if self.skip("}") { return .object(members) }
            guard self.skip(",") else { throw self.failure("Here should stand a comma or a closing brace.") }
            self.skipWhiteSpace()
        }
    }

    private mutating func array() throws(Failure) -> JSONTree {
        var elements: [JSONTree] = []
        if self.skip("]") { return .array([]) }
        while true {
            elements.append(try self.value())
            self.skipWhiteSpace()
            if self.skip("]") { return .array(elements) }
            guard self.skip(",") else {
                throw self.failure("Here should stand a comma or a closing bracket.")
            }
            self.skipWhiteSpace()
        }
    }

    private mutating func literal(_ word: String, _ tree: JSONTree) throws(Failure) -> JSONTree {
        guard self.text[self.position...].starts(with: word.utf8) else {
            throw self.failure("This is no value: a text needs double quotes.")
        }
        self.position += word.utf8.count
        return tree
    }

    private mutating func number() throws(Failure) -> String {
        let start = self.position
        _ = self.skip("-")
        if !self.skip("0") {
            guard self.next?.isDigit == true else {
                throw Failure(sentence: "This is no value: a text needs double quotes.", offset: start)
            }
            self.skipDigits()
        }
        if self.skip(".") { try self.digits() }
        if self.skip("e") || self.skip("E") {
            if !self.skip("+") { _ = self.skip("-") }
            try self.digits()
        }
        return String(decoding: self.text[start..<self.position], as: UTF8.self)
    }

    private mutating func skipDigits() {
        while self.next?.isDigit == true { self.position += 1 }
    }

    private mutating func digits() throws(Failure) {
        guard self.next?.isDigit == true else { throw self.failure("Here a number lacks its digits.") }
        self.skipDigits()
    }

    private mutating func string() throws(Failure) -> String {
        let start = self.position
        self.position += 1
        var bytes: [UInt8] = []
        while let byte = self.next {
            switch byte {
            case UInt8(ascii: "\""):
                self.position += 1
                return String(decoding: bytes, as: UTF8.self)
            case UInt8(ascii: "\\"):
                try self.escape(into: &bytes)
            case 0x00..<0x20:
                throw self.failure("A text goes over the end of a line, or has a control character in it.")
            default:
                bytes.append(byte)
                self.position += 1
            }
        }
        throw Failure(sentence: "A text begins here and does not end.", offset: start)
    }

    private mutating func escape(into bytes: inout [UInt8]) throws(Failure) {
        self.position += 1
        guard let escape = self.next else { throw self.failure("The text ends within an escape.") }
        switch escape {
        case UInt8(ascii: "b"): bytes.append(0x08)
        case UInt8(ascii: "f"): bytes.append(0x0C)
        case UInt8(ascii: "n"): bytes.append(0x0A)
        case UInt8(ascii: "r"): bytes.append(0x0D)
        case UInt8(ascii: "t"): bytes.append(0x09)
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): bytes.append(escape)
        case UInt8(ascii: "u"):
            bytes.append(contentsOf: String(try self.escapedScalar()).utf8)
            return
        default: throw self.failure("JSON has no such escape.")
        }
        self.position += 1
    }

    /// Reads an escape from its `u` on. Half of a surrogate pair is no Unicode scalar and could not be kept.
    private mutating func escapedScalar() throws(Failure) -> Unicode.Scalar {
        let start = self.position - 1
        let first = try self.codeUnit()
        if let scalar = Unicode.Scalar(first) { return scalar }
        let end = self.position
        if UTF16.isLeadSurrogate(first), self.skip("\\"), self.next == UInt8(ascii: "u") {
            let second = try self.codeUnit()
            if UTF16.isTrailSurrogate(second),
                let scalar = Unicode.Scalar(
                    0x10000 + (UInt32(first) & 0x3FF) << 10 + UInt32(second) & 0x3FF
                )
            {
                return scalar
            }
        }
        guard self.takesHalfPairs else {
            throw Failure(sentence: "This is half of a pair of escapes.", offset: start)
        }
        self.position = end
        return "\u{FFFD}"
    }

    private mutating func codeUnit() throws(Failure) -> UInt16 {
        self.position += 1
        let digits = self.text[self.position...].prefix(4)
        guard digits.count == 4, digits.allSatisfy({ Self.hexadecimal($0) != nil }) else {
            throw self.failure("Four hexadecimal digits should follow here.")
        }
        self.position += 4
        return digits.reduce(0) { $0 << 4 | (Self.hexadecimal($1) ?? 0) }
    }

    private static func hexadecimal(_ digit: UInt8) -> UInt16? {
        UInt16(String(Unicode.Scalar(digit)), radix: 16)
    }
}
