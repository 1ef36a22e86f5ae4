import Records
import WireFormats

/// The known fields of a dead letter's headers, found in one pass, and their values read as the type that
/// each must have.
///
/// A value that is not of its type is nil, like one that is absent.
struct FoundFields: ~Copyable {
    private let block: HeaderBlock
    /// For each field, the index of its last header in the block; -1 if there is none.
    private var entries = InlineArray<96, Int32>(repeating: -1)
    /// The dialect of the last header that proves one, except where `init` says otherwise.
    private(set) var dialect = DeadLetterDialect.unknown

    /// The longest text value in bytes.
    static let textBytesLimit = DeadLetterNotice.textBytesLimit

    /// Finds all fields in one pass over the headers. The last header that proves a dialect decides. If a
    /// letter fails again in another framework, that framework's headers stand after the headers of the first
    /// failure.
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
        // A letter of ours carries Kafka's own headers beside the `dlq.` headers.
        if hasNotice, self.dialect == .kip1191 { self.dialect = .flotilla }
    }

    /// Whether the letter states a whole place in Karafka's headers. Other programs use these header names
    /// too, so a single one proves nothing: topic, partition and offset all have to be there.
    private var isKarafka: Bool {
        self.topic(.karafkaTopic) != nil && self.number(.karafkaPartition) != nil
            && self.number(.karafkaOffset) != nil
            || self.topic(.karafkaOldTopic) != nil && self.number(.karafkaOldPartition) != nil
                && self.number(.karafkaOldOffset) != nil
    }

    /// Whether the letter has a header for this field, whatever its value.
    func isThere(_ field: DeadLetterField) -> Bool { self.entries.span[field.rawValue] >= 0 }

    /// Returns the field's value as it stands in the block; nil if the header is absent or has no value.
    func bytes(_ field: DeadLetterField) -> ArraySlice<UInt8>? {
        // The span is read instead of the array: a subscript of the inline array would copy all its entries.
        let entry = Int(self.entries.span[field.rawValue])
        return entry < 0 ? nil : self.block.value(of: self.block.entries[entry])
    }

    /// Returns a UTF-8 text of 1 to 256 bytes.
    func text(_ field: DeadLetterField) -> String? {
        guard let bytes = self.bytes(field), 1...Self.textBytesLimit ~= bytes.count else { return nil }
        // Nearly all values are plain ASCII, which needs no validation.
        return bytes.allSatisfy { $0 < 0x80 }
            ? String(decoding: bytes, as: UTF8.self) : String(validating: bytes, as: UTF8.self)
    }

    /// Returns a text of 1 to 128 visible ASCII characters.
    func visibleText(_ field: DeadLetterField) -> String? {
        guard let bytes = self.bytes(field), 1...128 ~= bytes.count, bytes.allSatisfy(\.isVisible) else {
            return nil
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns a name that Kafka allows for a topic: 1 to 249 letters, digits, `.`, `_` and `-`, but not `.`
    /// or `..`.
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

    /// Returns a reason's code: 1 to 120 letters, digits and the marks `.`, `_`, `-` and `:`.
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

    /// Returns a letter's id: `dl-` and 32 lower-case hexadecimal digits.
    func letterID(_ field: DeadLetterField) -> String? {
        guard let bytes = self.bytes(field), bytes.count == 35, bytes.starts(with: "dl-".utf8),
            bytes.dropFirst(3).allSatisfy(\.isLowercaseHexadecimal)
        else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns a text of exactly so many lower-case hexadecimal digits.
    func hexadecimal(_ field: DeadLetterField, digits: Int) -> String? {
        guard let bytes = self.bytes(field), bytes.count == digits,
            bytes.allSatisfy(\.isLowercaseHexadecimal)
        else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns a number that is not negative: decimal digits, or for a field of Spring's also the 1 to 8
    /// bytes of an integer, the highest byte first.
    ///
    /// Bytes that are all decimal digits are read as text. Read as an integer, they would be larger than any
    /// partition number, and larger than any offset that a topic reaches.
    func number(_ field: DeadLetterField) -> Int64? {
        guard let bytes = self.bytes(field) else { return nil }
        if bytes.count <= 20, let number = bytes.decimal(as: Int64.self) { return number }
        return field.isSpring ? DeadLetterField.binaryNumber(bytes) : nil
    }

    /// Returns a number that is not negative and fits into 32 bits.
    func smallNumber(_ field: DeadLetterField) -> Int? {
        self.number(field).flatMap { Int32(exactly: $0) }.map(Int.init)
    }

    /// Returns a count: the limit if the number is larger than that, and 0 if the header is absent or no
    /// number.
    func count(_ field: DeadLetterField, upTo limit: Int) -> Int {
        guard let bytes = self.bytes(field), !bytes.isEmpty, bytes.allSatisfy(\.isDigit) else { return 0 }
        return min(bytes.decimal(as: Int.self) ?? limit, limit)
    }

    /// Returns a time of RFC 3339 in milliseconds since 1970.
    func time(_ field: DeadLetterField) -> Int64? {
        guard let bytes = self.bytes(field), bytes.count <= 40 else { return nil }
        return RFC3339.milliseconds(inUTC: bytes) ?? RFC3339.milliseconds(Array(bytes))
    }

    /// Returns the text before the stack trace, at most 1 KiB. Bytes that are not UTF-8 are replaced by
    /// U+FFFD.
    func message(_ field: DeadLetterField) -> String {
        guard let bytes = self.bytes(field) else { return "" }
        let limit = DeadLetterFacts.messageBytesLimit
        let text = StackTrace.textBefore(bytes.prefix(limit + 1)).trimmingWhiteSpace()
        return DeadLetterNotice.prefix(of: String(decoding: text, as: UTF8.self), bytesLimit: limit)
    }

    /// Returns the last part of a qualified class name, from a text that begins with such a name; nil if it
    /// has none. Java parts names by `.`, Ruby by `::`.
    func className(_ field: DeadLetterField) -> String? {
        guard let bytes = self.bytes(field) else { return nil }
        let text = bytes.prefix(1024).prefix { !$0.isWhiteSpace }
        var (start, end) = (text.startIndex, text.startIndex)
        while end < text.endIndex {
            if text[end] == UInt8(ascii: ".") { start = end + 1 }
            if text[end] == UInt8(ascii: ":") {
                // Kafka Streams writes `name: message`.
                guard text[(end + 1)...].first == UInt8(ascii: ":") else { break }
                end += 1
                start = end + 1
            }
            end += 1
        }
        let last = text[start..<end]
        guard 1...DeadLetterFacts.reasonBytesLimit ~= last.count, last.first?.isDigit == false,
            last.allSatisfy({ $0.isAlphanumeric || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "$") })
        else { return nil }
        return String(decoding: last, as: UTF8.self)
    }
}

/// The lines that language runtimes append to an error message to show where the error happened.
enum StackTrace {
    /// Returns the text before the first line of a stack trace, or all of it if there is none.
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
