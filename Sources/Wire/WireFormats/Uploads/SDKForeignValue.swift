/// The limits on JSON of a phone's own that goes on to readers as it is.
///
/// A phone may write any JSON under a name that no SDK has. JSON sets no bounds, and readers have some: Kafka Connect's
/// converter makes a `BigDecimal` of a number, which fails at an exponent of 11 digits, and Jackson refuses a number of more
/// than 1,000 digits and a name of more than 50,000 characters. PostgreSQL stores no text with U+0000 and no JSON with half a surrogate pair. A sink stops at
/// such a record, for everybody.
enum SDKForeignValue {
    /// The most bytes of a number.
    private static let numberLimit = 64
    /// The most digits of an exponent.
    private static let exponentLimit = 3
    /// The most bytes of a name, also of an attribute.
    static let nameLimit = 32_768

    /// Whether every reader can be expected to read a value, which is valid JSON.
    static func isReadable(_ json: String) -> Bool {
        let text = json.utf8.span
        var position = 0
        while position < text.count {
            let start = position
            switch text[position] {
            case UInt8(ascii: "\""):
                position = Self.end(ofTextAt: position, in: text)
                guard Self.hasUsualEscapes(text.extracting(start..<position)) else { return false }
                guard position - start <= Self.nameLimit || !Self.isColon(after: position, in: text) else {
                    return false
                }
            case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
                while position < text.count, Self.isOfNumber(text[position]) { position += 1 }
                guard Self.isReadable(number: text.extracting(start..<position)) else { return false }
            default: position += 1
            }
        }
        return true
    }

    private static func isReadable(number: Span<UInt8>) -> Bool {
        guard number.count <= Self.numberLimit else { return false }
        let marks = [UInt8(ascii: "e"), UInt8(ascii: "E")]
        guard let mark = number.indices.first(where: { marks.contains(number[$0]) }) else { return true }
        let digits = number.extracting((mark + 1)...)
        guard digits.indices.count(where: { digits[$0].isDigit }) <= Self.exponentLimit else { return false }
        let text = String(decoding: number.indices.map { number[$0] }, as: UTF8.self)
        return Double(text)?.isFinite == true
    }

    private static func isOfNumber(_ byte: UInt8) -> Bool {
        byte.isDigit
            || [
                UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"),
            ].contains(byte)
    }

    /// Whether a colon follows, which makes the text before it a name.
    private static func isColon(after position: Int, in json: Span<UInt8>) -> Bool {
        var position = position
        while position < json.count, json[position] <= UInt8(ascii: " ") { position += 1 }
        return position < json.count && json[position] == UInt8(ascii: ":")
    }

    /// Whether no escape of a text is U+0000 or half a surrogate pair.
    private static func hasUsualEscapes(_ text: Span<UInt8>) -> Bool {
        var position = 0
        var hasHalf = false
        while position < text.count {
            guard text[position] == UInt8(ascii: "\\") else {
                guard !hasHalf else { return false }
                position += 1
                continue
            }
            let unit = Self.codeUnit(at: position, in: text)
            let isSecondHalf = unit.map { (0xDC00...0xDFFF).contains($0) } ?? false
            guard unit != 0, isSecondHalf == hasHalf else { return false }
            hasHalf = unit.map { (0xD800...0xDBFF).contains($0) } ?? false
            position += unit == nil ? 2 : 6
        }
        return !hasHalf
    }

    /// The code unit that an escape names by its number; nil if it is an escape of another form.
    private static func codeUnit(at position: Int, in text: Span<UInt8>) -> UInt16? {
        guard position + 6 <= text.count, text[position + 1] == UInt8(ascii: "u") else { return nil }
        let digits = (position + 2..<position + 6).map { text[$0] }
        return UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
    }

    /// The position after the text that begins here.
    private static func end(ofTextAt start: Int, in json: Span<UInt8>) -> Int {
        var position = start + 1
        while position < json.count, json[position] != UInt8(ascii: "\"") {
            position += json[position] == UInt8(ascii: "\\") ? 2 : 1
        }
        return min(position + 1, json.count)
    }
}
