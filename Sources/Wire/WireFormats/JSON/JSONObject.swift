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
        self.text = text
        let start = text.starts(with: Self.byteOrderMark) ? Self.byteOrderMark.count : 0
        var scanner = JSONScanner(text, from: start, depthLimit: depthLimit)
        var values: [String: Range<Int>] = [:]
        scanner.skipWhiteSpace()
        do throws(JSONScanner.Fault) {
            try scanner.members { name, value in
                values[Self.unescaped(text[name])] = value
            }
        } catch {
            return nil
        }
        scanner.skipWhiteSpace()
        guard scanner.isAtEnd else { return nil }
        self.values = values
    }

    /// The three bytes of a byte order mark in UTF-8.
    package static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

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
        guard let value = self.value(name), value.first == UInt8(ascii: "[") else { return nil }
        var scanner = JSONScanner(self.text, from: value.startIndex, depthLimit: 2)
        var strings: [String] = []
        var isUniform = true
        do throws(JSONScanner.Fault) {
            try scanner.elements { element in
                guard self.text[element.lowerBound] == UInt8(ascii: "\"") else {
                    isUniform = false
                    return
                }
                strings.append(Self.unescaped(self.text[element].dropFirst().dropLast()))
            }
        } catch {
            return nil
        }
        return isUniform ? strings : nil
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

    /// Returns the inside of a string without its escapes. Bytes and escapes that are not Unicode become
    /// U+FFFD.
    private static func unescaped(_ text: ArraySlice<UInt8>) -> String {
        guard text.contains(UInt8(ascii: "\\")) else { return String(decoding: text, as: UTF8.self) }
        var units: [UInt16] = []
        var plain: [UInt8] = []
        var rest = text
        func flush() {
            units.append(contentsOf: String(decoding: plain, as: UTF8.self).utf16)
            plain.removeAll(keepingCapacity: true)
        }
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\"), let escape = rest.popFirst() else {
                plain.append(byte)
                continue
            }
            switch escape {
            case UInt8(ascii: "u"):
                flush()
                units.append(rest.prefix(4).reduce(0) { $0 << 4 | UInt16($1.hexadecimalValue ?? 0) })
                rest = rest.dropFirst(4)
            case UInt8(ascii: "b"): plain.append(0x08)
            case UInt8(ascii: "f"): plain.append(0x0C)
            case UInt8(ascii: "n"): plain.append(0x0A)
            case UInt8(ascii: "r"): plain.append(0x0D)
            case UInt8(ascii: "t"): plain.append(0x09)
            default: plain.append(escape)
            }
        }
        flush()
        return String(decoding: units, as: UTF16.self)
    }
}
