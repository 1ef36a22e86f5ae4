import Cryptography

// What members of a payload say. Their types are whatever somebody's server made of them.
extension JSONTree {
    /// A text, or the digits of a whole number just as they stand: no number of ours holds all of them. Nil for anything
    /// else, and for what is empty. A number that is written with a point or an exponent has been through a Double,
    /// and is no id any more.
    var idText: String? {
        switch self {
        case .string(let text): text.isEmpty ? nil : text
        case .number(let digits): digits.utf8.allSatisfy(\.isDigit) ? digits : nil
        case .null, .bool, .array, .object: nil
        }
    }

    /// An id that is a number of at most 64 bits, whether it is written as one or as a text: without zeros before it.
    var decimalID: String? {
        guard let number = self.idText?.utf8.decimal(as: UInt64.self), number > 0 else { return nil }
        return String(number)
    }

    /// A number without a fraction, or its digits as a text.
    var wholeNumber: Int64? {
        switch self {
        case .string(let text): Int64(text)
        case .number(let digits): Int64(digits) ?? Double(digits).flatMap { Int64(exactly: $0) }
        case .null, .bool, .array, .object: nil
        }
    }

    func hasMember(_ isWanted: (String) -> Bool) -> Bool {
        guard case .object(let members) = self else { return false }
        return members.contains { isWanted($0.name) }
    }
}

// MARK: - Canonical form

extension JSONTree {
    var canonicalSHA256: String {
        String(decoding: Digest.sha256.hexadecimal(self.canonical), as: UTF8.self)
    }

    /// The same bytes for the same document, however it was written: members by the bytes of their names, the last one of
    /// a doubled name only, no white space, texts with no more escapes than JSON asks for, numbers by their own
    /// digits.
    var canonical: [UInt8] {
        var text: [UInt8] = []
        self.writeCanonical(to: &text)
        return text
    }

    private func writeCanonical(to text: inout [UInt8]) {
        switch self {
        case .null, .bool, .number: text += (self.leafText ?? "").utf8
        case .string(let string): Self.writeQuoted(string, to: &text)
        case .array(let elements):
            text.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { text.append(UInt8(ascii: ",")) }
                element.writeCanonical(to: &text)
            }
            text.append(UInt8(ascii: "]"))
        case .object(let members):
            text.append(UInt8(ascii: "{"))
            for (index, member) in Self.sorted(members).enumerated() {
                if index > 0 { text.append(UInt8(ascii: ",")) }
                Self.writeQuoted(member.name, to: &text)
                text.append(UInt8(ascii: ":"))
                member.value.writeCanonical(to: &text)
            }
            text.append(UInt8(ascii: "}"))
        }
    }

    /// Not by Swift's own order of strings, nor by its equality: they look through Unicode's several spellings.
    private static func sorted(_ members: [Member]) -> [Member] {
        // A stable sort: of a doubled name the last one stays last.
        let sorted = members.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        return sorted.indices.compactMap { index in
            let next = index + 1
            guard next < sorted.count else { return sorted[index] }
            return sorted[index].name.utf8.elementsEqual(sorted[next].name.utf8) ? nil : sorted[index]
        }
    }

    private static func writeQuoted(_ string: String, to text: inout [UInt8]) {
        text.append(UInt8(ascii: "\""))
        for byte in string.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): text += [UInt8(ascii: "\\"), byte]
            case 0x08: text += "\\b".utf8
            case 0x09: text += "\\t".utf8
            case 0x0A: text += "\\n".utf8
            case 0x0C: text += "\\f".utf8
            case 0x0D: text += "\\r".utf8
            case 0..<0x20: text += "\\u00".utf8 + Hexadecimal.encode([byte])
            default: text.append(byte)
            }
        }
        text.append(UInt8(ascii: "\""))
    }
}
