import Records

/// Where the fields of a dead letter stand among its headers, and their values as what they have to be.
///
/// A value that is not of its kind is nil, as is one that is absent.
struct FoundFields: ~Copyable {
    private let block: HeaderBlock
    /// The last entry of each field; -1 where there is none.
    private var entries = InlineArray<96, Int32>(repeating: -1)
    private(set) var dialect = DeadLetterDialect.unknown

    static let textBytesLimit = DeadLetterNotice.textBytesLimit

    /// The one pass over the headers. Who speaks last is whose dialect it is: a letter that dies again under another
    /// roof has that one's headers after those of the earlier death.
    init(_ block: borrowing HeaderBlock) {
        self.block = copy block
        let table = DeadLetterFieldTable.shared
        var hasNotice = false
        var surest = DeadLetterDialect.unknown
        let bytes = block.bytes.span
        for index in block.entries.indices {
            guard let field = table.field(block.entries[index].name, in: bytes) else { continue }
            self.entries[field.rawValue] = Int32(truncatingIfNeeded: index)
            guard let dialect = field.dialect else { continue }
            self.dialect = dialect
            if dialect != .karafka { surest = dialect }
            if dialect == .flotilla { hasNotice = true }
        }
        if self.dialect == .karafka, !self.isKarafka { self.dialect = surest }
        // Ours has Kafka's own headers beside it.
        if hasNotice, self.dialect == .kip1191 { self.dialect = .flotilla }
    }

    /// These names are anybody's, so all of a place has to be there.
    private var isKarafka: Bool {
        self.topic(.karafkaTopic) != nil && self.number(.karafkaPartition) != nil
            && self.number(.karafkaOffset) != nil
            || self.topic(.karafkaOldTopic) != nil && self.number(.karafkaOldPartition) != nil
                && self.number(.karafkaOldOffset) != nil
    }

    func isThere(_ field: DeadLetterField) -> Bool { self.entries.span[field.rawValue] >= 0 }

    func bytes(_ field: DeadLetterField) -> ArraySlice<UInt8>? {
        // By the span: a subscript would copy them all.
        let entry = Int(self.entries.span[field.rawValue])
        return entry < 0 ? nil : self.block.value(of: self.block.entries[entry])
    }

    /// UTF-8 of 1 to 256 bytes.
    func text(_ field: DeadLetterField) -> String? {
        guard let bytes = self.bytes(field), 1...Self.textBytesLimit ~= bytes.count else { return nil }
        // What is plain ASCII, as nearly all is, needs no validation.
        return bytes.allSatisfy { $0 < 0x80 }
            ? String(decoding: bytes, as: UTF8.self) : String(validating: bytes, as: UTF8.self)
    }

    /// 1 to 128 visible ASCII characters.
    func visibleText(_ field: DeadLetterField) -> String? {
        guard let bytes = self.bytes(field), 1...128 ~= bytes.count, bytes.allSatisfy(\.isVisible) else {
            return nil
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// A name that Kafka allows for a topic.
    func topic(_ field: DeadLetterField) -> String? {
        guard let bytes = self.bytes(field), 1...249 ~= bytes.count else { return nil }
        var hasOther = false
        for byte in bytes {
            if byte == UInt8(ascii: ".") { continue }
            hasOther = true
            guard byte.isAlphanumeric || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_") else {
                return nil
            }
        }
        guard hasOther || bytes.count > 2 else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// A reason's code: letters, digits, and `. _ - :`.
    func code(_ field: DeadLetterField) -> String? {
        guard let bytes = self.bytes(field), 1...DeadLetterFacts.reasonBytesLimit ~= bytes.count,
            bytes.allSatisfy({ $0.isAlphanumeric || Self.isCodeMark($0) })
        else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func isCodeMark(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: ":"): true
        default: false
        }
    }

    /// `dl-` and 32 lower-case hexadecimal digits.
    func letterID(_ field: DeadLetterField) -> String? {
        guard let bytes = self.bytes(field), bytes.count == 35, bytes.starts(with: "dl-".utf8),
            bytes.dropFirst(3).allSatisfy(\.isLowercaseHexadecimal)
        else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    func hexadecimal(_ field: DeadLetterField, digits: Int) -> String? {
        guard let bytes = self.bytes(field), bytes.count == digits,
            bytes.allSatisfy(\.isLowercaseHexadecimal)
        else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// A number that is not negative: decimal digits, or as Spring writes it, the bytes of an integer, the highest
    /// first. Bytes that are all digits are text: as an integer they would be beyond any partition, and an offset
    /// that no topic comes to.
    func number(_ field: DeadLetterField) -> Int64? {
        guard let bytes = self.bytes(field) else { return nil }
        if bytes.count <= 20, let number = bytes.decimal(as: Int64.self) { return number }
        guard field.isSpring, 1...8 ~= bytes.count, let first = bytes.first, first < 0x80 else { return nil }
        // Text that is no number is not an integer either.
        guard !bytes.allSatisfy({ 0x20...0x7E ~= $0 }) else { return nil }
        return bytes.reduce(0) { $0 << 8 | Int64($1) }
    }

    /// One that 32 bits hold.
    func smallNumber(_ field: DeadLetterField) -> Int? {
        self.number(field).flatMap { Int32(exactly: $0) }.map(Int.init)
    }

    /// How often something happened: what is too large to be read is the limit, what is no number is none.
    func count(_ field: DeadLetterField, upTo limit: Int) -> Int {
        guard let bytes = self.bytes(field), !bytes.isEmpty, bytes.allSatisfy(\.isDigit) else { return 0 }
        return min(bytes.decimal(as: Int.self) ?? limit, limit)
    }

    func time(_ field: DeadLetterField) -> Int64? {
        guard let bytes = self.bytes(field), bytes.count <= 40 else { return nil }
        return RFC3339.milliseconds(inUTC: bytes) ?? RFC3339.milliseconds(Array(bytes))
    }

    /// What stands before the stack trace, as far as it fits. Bytes that are no text are replaced.
    func message(_ field: DeadLetterField) -> String {
        guard let bytes = self.bytes(field) else { return "" }
        let limit = DeadLetterFacts.messageBytesLimit
        let text = StackTrace.textBefore(bytes.prefix(limit + 1)).trimmingWhiteSpace()
        return DeadLetterNotice.prefix(of: String(decoding: text, as: UTF8.self), bytesLimit: limit)
    }

    /// The last part of a class's name, of a text that begins with one.
    func className(_ field: DeadLetterField) -> String? {
        guard let bytes = self.bytes(field) else { return nil }
        // Streams writes `name: message`.
        let name = bytes.prefix(1024).prefix { $0 != UInt8(ascii: ":") && !$0.isWhiteSpace }
        let last = name.suffix(from: name.lastIndex(of: UInt8(ascii: ".")).map { $0 + 1 } ?? name.startIndex)
        guard 1...DeadLetterFacts.reasonBytesLimit ~= last.count, last.first?.isDigit == false,
            last.allSatisfy({ $0.isAlphanumeric || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "$") })
        else { return nil }
        return String(decoding: last, as: UTF8.self)
    }
}

/// The lines that runtimes add to a message to say how they got there.
enum StackTrace {
    /// What stands before the first of them.
    static func textBefore(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var rest = text
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            rest = text[(end + 1)...]
            if self.begins(rest) { return text[..<end] }
        }
        return text
    }

    private static func begins(_ line: ArraySlice<UInt8>) -> Bool {
        let unindented = line.drop { $0 == 0x20 || $0 == 0x09 }
        return unindented.count < line.count && unindented.starts(with: "at ".utf8)
            || ["Caused by:", "Traceback (", "goroutine ", "Stack trace:", "stacktrace:"]
                .contains { unindented.starts(with: $0.utf8) }
    }
}
