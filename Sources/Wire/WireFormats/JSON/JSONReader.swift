/// The bounds of a reading.
package struct JSONLimits: Sendable {
    /// The deepest nesting of lists and objects; the outermost value is on level 1.
    package var depth: Int
    /// Whether lists and objects below that level are stepped over instead of being refused. Their syntax is
    /// checked, and nothing in them is told; however deep they nest, they take no room on the stack. Leaves are
    /// then no level.
    package var skipsDeeper: Bool
    /// Whether a value that is no list and no object counts as a level too, below the one that it is in.
    package var countsLeaves: Bool
    /// The most values in a document, values inside lists and objects included; names do not count.
    package var values: Int
    /// Whether half of a surrogate pair of escapes is accepted. It is valid JSON and not Unicode.
    package var takesHalfPairs: Bool

    package init(
        depth: Int,
        skipsDeeper: Bool = false,
        countsLeaves: Bool = false,
        values: Int = .max,
        takesHalfPairs: Bool = true
    ) {
        self.depth = depth
        self.skipsDeeper = skipsDeeper
        self.countsLeaves = countsLeaves
        self.values = values
        self.takesHalfPairs = takesHalfPairs
    }
}

/// The type of a value.
package enum JSONKind: UInt8, Hashable, Sendable {
    case null
    case `true`
    case `false`
    case number
    case string
    case array
    case object

    /// The type of a value of a document whose syntax was checked, by the first byte of its text.
    init(firstByte: UInt8) {
        switch firstByte {
        case UInt8(ascii: "{"): self = .object
        case UInt8(ascii: "["): self = .array
        case UInt8(ascii: "\""): self = .string
        case UInt8(ascii: "t"): self = .true
        case UInt8(ascii: "f"): self = .false
        case UInt8(ascii: "n"): self = .null
        default: self = .number
        }
    }

    /// The type in a sentence, such as `a number`.
    package var noun: String {
        switch self {
        case .null: "null"
        case .true: "true"
        case .false: "false"
        case .number: "a number"
        case .string: "a string"
        case .array: "a list"
        case .object: "an object"
        }
    }
}

/// A receiver of everything that a `JSONReader` finds, in the order of the text.
///
/// Ranges are positions in the text: those of names and strings are without the quotes, those of lists and
/// objects are with the brackets. The outermost value is on level 1, and so are the names of its members; the
/// values inside it are on level 2.
protocol JSONListener {
    /// The listener's note about an open list or object, which it gets back when that ends.
    associatedtype Mark

    mutating func name(_ range: Range<Int>, hasEscapes: Bool, level: Int)
    mutating func leaf(_ kind: JSONKind, _ range: Range<Int>, hasEscapes: Bool, level: Int)
    mutating func opened(_ kind: JSONKind, at start: Int) -> Mark
    mutating func closed(_ mark: Mark, _ kind: JSONKind, range: Range<Int>, level: Int)
}

/// A listener that keeps nothing, for a text of which only the syntax matters.
struct DeafListener: JSONListener {
    func name(_ range: Range<Int>, hasEscapes: Bool, level: Int) {}
    func leaf(_ kind: JSONKind, _ range: Range<Int>, hasEscapes: Bool, level: Int) {}
    func opened(_ kind: JSONKind, at start: Int) {}
    func closed(_ mark: Void, _ kind: JSONKind, range: Range<Int>, level: Int) {}
}

/// The grammar of JSON (RFC 8259): the only code that knows it.
///
/// The reader goes over a text once and keeps nothing; a listener keeps what it needs. Both are compiled
/// together for each kind of listener, so a document that is read a million times pays for no call. Strings
/// are not checked for UTF-8.
struct JSONReader<Listener: JSONListener> {
    private let text: [UInt8]
    private let depthLimit: Int
    private let skipsDeeper: Bool
    private let takesHalfPairs: Bool
    /// The level below which no leaf may be.
    private let leafLimit: Int
    private var position: Int
    /// The number of values that may still come.
    private var valuesLeft: Int
    private(set) var listener: Listener

    init(_ text: [UInt8], from start: Int = 0, limits: JSONLimits, listener: Listener) {
        self.text = text
        self.position = start
        self.depthLimit = limits.depth
        self.skipsDeeper = limits.skipsDeeper
        self.takesHalfPairs = limits.takesHalfPairs
        self.leafLimit = limits.countsLeaves && !limits.skipsDeeper ? limits.depth : .max
        self.valuesLeft = limits.values
        self.listener = listener
    }

    /// Reads to the end of the text: one value, with white space around it and perhaps a byte order mark
    /// before it.
    mutating func document() throws(JSONFault) {
        if self.text[self.position...].starts(with: JSONText.byteOrderMark) {
            self.position += JSONText.byteOrderMark.count
        }
        self.skipWhiteSpace()
        try self.value()
        self.skipWhiteSpace()
        guard self.position == self.text.count else { throw self.fault(.more) }
    }

    /// Reads the value that starts here, and nothing behind it.
    mutating func value() throws(JSONFault) { try self.value(level: 1) }

    // Three functions are inlined, because a call costs as much as the few bytes that they mostly step over.

    private var next: UInt8? { self.position < self.text.count ? self.text[self.position] : nil }

    private func fault(_ cause: JSONFault.Cause) -> JSONFault { JSONFault(cause, at: self.position) }

    @inline(__always)
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

    private mutating func value(level: Int) throws(JSONFault) {
        guard self.valuesLeft > 0 else { throw self.fault(.tooManyValues) }
        self.valuesLeft -= 1
        guard let next = self.next else { throw self.fault(.noValue) }
        if next == UInt8(ascii: "{") { return try self.nested(.object, UInt8(ascii: "}"), level: level) }
        if next == UInt8(ascii: "[") { return try self.nested(.array, UInt8(ascii: "]"), level: level) }
        guard level <= self.leafLimit else { throw self.fault(.tooDeep) }
        switch next {
        case UInt8(ascii: "\""):
            let (range, hasEscapes) = try self.string()
            self.listener.leaf(.string, range, hasEscapes: hasEscapes, level: level)
        case UInt8(ascii: "t"): try self.literal("true", .true, level: level)
        case UInt8(ascii: "f"): try self.literal("false", .false, level: level)
        case UInt8(ascii: "n"): try self.literal("null", .null, level: level)
        default: try self.number(level)
        }
    }

    private mutating func nested(_ kind: JSONKind, _ close: UInt8, level: Int) throws(JSONFault) {
        guard level <= self.depthLimit else { return try self.deeper(kind, close, level: level) }
        let start = self.position
        let mark = self.listener.opened(kind, at: start)
        self.position += 1
        self.skipWhiteSpace()
        if !self.skip(close) {
            while true {
                if kind == .object { try self.name(level) }
                try self.value(level: level + 1)
                self.skipWhiteSpace()
                if self.skip(close) { break }
                guard self.skip(UInt8(ascii: ",")) else {
                    throw self.fault(kind == .object ? .noCommaOrBrace : .noCommaOrBracket)
                }
                self.skipWhiteSpace()
            }
        }
        self.listener.closed(mark, kind, range: start..<self.position, level: level)
    }

    /// Acts on a list or an object below the deepest level.
    private mutating func deeper(_ kind: JSONKind, _ close: UInt8, level: Int) throws(JSONFault) {
        guard self.skipsDeeper else { throw self.fault(.tooDeep) }
        let start = self.position
        let mark = self.listener.opened(kind, at: start)
        let limits = JSONLimits(depth: 0, values: self.valuesLeft, takesHalfPairs: self.takesHalfPairs)
        var rest = JSONReader<DeafListener>(self.text, from: start, limits: limits, listener: DeafListener())
        try rest.stepOver(close)
        self.position = rest.position
        self.valuesLeft = rest.valuesLeft
        self.listener.closed(mark, kind, range: start..<self.position, level: level)
    }

    /// Steps over a list or an object. Each open bracket takes a byte of a list, because a recursion as deep as a
    /// phone likes would exhaust the stack.
    private mutating func stepOver(_ close: UInt8) throws(JSONFault) {
        var closes = [close]
        var isFirst = true
        self.position += 1
        while let close = closes.last {
            self.skipWhiteSpace()
            if self.skip(close) {
                closes.removeLast()
                isFirst = false
                continue
            }
            let isObject = close == UInt8(ascii: "}")
            if !isFirst {
                guard self.skip(UInt8(ascii: ",")) else {
                    throw self.fault(isObject ? .noCommaOrBrace : .noCommaOrBracket)
                }
                self.skipWhiteSpace()
            }
            if isObject { try self.name(0) }
            isFirst = true
            if self.skip(UInt8(ascii: "{")) {
                closes.append(UInt8(ascii: "}"))
            } else if self.skip(UInt8(ascii: "[")) {
                closes.append(UInt8(ascii: "]"))
            } else {
                try self.value(level: 0)
                isFirst = false
            }
        }
    }

    /// Reads the name of a member, and everything up to its value.
    @inline(__always)
    private mutating func name(_ level: Int) throws(JSONFault) {
        guard self.next == UInt8(ascii: "\"") else { throw self.fault(.noName) }
        let (range, hasEscapes) = try self.string()
        self.listener.name(range, hasEscapes: hasEscapes, level: level)
        self.skipWhiteSpace()
        guard self.skip(UInt8(ascii: ":")) else { throw self.fault(.noColon) }
        self.skipWhiteSpace()
    }

    @inline(__always)
    private mutating func string() throws(JSONFault) -> (range: Range<Int>, hasEscapes: Bool) {
        self.position += 1
        let start = self.position
        var hasEscapes = false
        self.position = self.endOfPlainText
        while let byte = self.next {
            switch byte {
            case UInt8(ascii: "\""):
                self.position += 1
                return (start..<self.position - 1, hasEscapes)
            case UInt8(ascii: "\\"):
                hasEscapes = true
                try self.escape()
            case 0x00..<0x20: throw self.fault(.controlCharacter)
            default: self.position += 1
            }
        }
        throw JSONFault(.openString, at: start - 1)
    }

    /// The position of the next quote, escape or control character, or an earlier one, with fewer than eight bytes
    /// behind it. Eight bytes are looked at in one step.
    @inline(__always)
    private var endOfPlainText: Int {
        var position = self.position
        let text = self.text.span
        while position <= text.count - 8 {
            let word = text.word(at: position)
            let ends = word.marks(of: UInt8(ascii: "\"")) | word.marks(of: UInt8(ascii: "\\"))
            let controls = (word &- UInt64(repeating: 0x20)) & ~word & UInt64(repeating: 0x80)
            guard ends | controls == 0 else {
                return position + (ends | controls).trailingZeroBitCount / 8
            }
            position += 8
        }
        return position
    }

    private mutating func escape() throws(JSONFault) {
        let start = self.position
        self.position += 1
        switch self.next {
        case UInt8(ascii: "u"):
            let unit = try self.codeUnit()
            guard self.takesHalfPairs || !UTF16.isSurrogate(unit) else {
                return try self.secondHalf(of: unit, from: start)
            }
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"),
            UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            self.position += 1
        case nil: throw self.fault(.openEscape)
        default: throw self.fault(.unknownEscape)
        }
    }

    /// Steps over the escape that makes a pair with the escape at `start`.
    private mutating func secondHalf(of first: UInt16, from start: Int) throws(JSONFault) {
        guard UTF16.isLeadSurrogate(first), self.skip(UInt8(ascii: "\\")), self.next == UInt8(ascii: "u"),
            UTF16.isTrailSurrogate(try self.codeUnit())
        else { throw JSONFault(.halfPair, at: start) }
    }

    /// Steps over the `u` of an escape and its four digits, and returns their number.
    private mutating func codeUnit() throws(JSONFault) -> UInt16 {
        self.position += 1
        let digits = self.text[self.position...].prefix(4)
        guard digits.count == 4, digits.allSatisfy(\.isHexadecimal) else {
            throw self.fault(.noHexadecimalDigits)
        }
        self.position += 4
        return JSONText.codeUnit(digits)
    }

    private mutating func literal(_ word: String, _ kind: JSONKind, level: Int) throws(JSONFault) {
        guard self.text[self.position...].starts(with: word.utf8) else { throw self.fault(.unquoted) }
        let start = self.position
        self.position += word.utf8.count
        self.listener.leaf(kind, start..<self.position, hasEscapes: false, level: level)
    }

    private mutating func number(_ level: Int) throws(JSONFault) {
        let start = self.position
        _ = self.skip(UInt8(ascii: "-"))
        if !self.skip(UInt8(ascii: "0")) {
            guard self.skipDigits() else { throw JSONFault(.unquoted, at: start) }
        }
        if self.skip(UInt8(ascii: ".")) {
            guard self.skipDigits() else { throw self.fault(.noDigits) }
        }
        if self.skip(UInt8(ascii: "e")) || self.skip(UInt8(ascii: "E")) {
            if !self.skip(UInt8(ascii: "+")) { _ = self.skip(UInt8(ascii: "-")) }
            guard self.skipDigits() else { throw self.fault(.noDigits) }
        }
        self.listener.leaf(.number, start..<self.position, hasEscapes: false, level: level)
    }

    /// Steps over digits; returns false if there are none.
    private mutating func skipDigits() -> Bool {
        let start = self.position
        while self.position < self.text.count, self.text[self.position].isDigit { self.position += 1 }
        return self.position > start
    }
}

extension UInt64 {
    /// The number of which each of the eight bytes is this one.
    fileprivate init(repeating byte: UInt8) { self = UInt64(byte) &* 0x0101_0101_0101_0101 }

    /// Marks the highest bit of the lowest byte that is equal to this one, and perhaps of bytes above it.
    @inline(__always)
    fileprivate func marks(of byte: UInt8) -> UInt64 {
        let difference = self ^ UInt64(repeating: byte)
        return (difference &- UInt64(repeating: 1)) & ~difference & UInt64(repeating: 0x80)
    }
}
