import Cryptography

extension JSONOutline {
    /// The document in one canonical form, so that two spellings of the same document give the same bytes.
    /// Members are sorted by the bytes of their names, and of a repeated name only the last member stays.
    /// There is no white space, and strings have only the escapes that JSON requires. Numbers keep their own
    /// digits, so two spellings of a number differ.
    var canonical: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(self.text.count)
        self.write(self.root, to: &bytes)
        return bytes
    }

    private func write(_ index: Int, to bytes: inout [UInt8]) {
        switch self.kind(index) {
        case .null, .true, .false, .number: bytes += self.bytes(index)
        case .string: self.writeString(index, to: &bytes)
        case .array:
            bytes.append(UInt8(ascii: "["))
            let end = self.index(after: index)
            var element = index + 1
            while element < end {
                if element > index + 1 { bytes.append(UInt8(ascii: ",")) }
                self.write(element, to: &bytes)
                element = self.index(after: element)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object:
            bytes.append(UInt8(ascii: "{"))
            for (number, name) in self.sortedNames(of: index).enumerated() {
                if number > 0 { bytes.append(UInt8(ascii: ",")) }
                self.writeString(name, to: &bytes)
                bytes.append(UInt8(ascii: ":"))
                self.write(name + 1, to: &bytes)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }

    /// Returns the indices of an object's names in canonical order. Swift's own order and equality of strings
    /// do not serve, because they treat different Unicode spellings as equal.
    private func sortedNames(of object: Int) -> [Int] {
        var names: [Int] = []
        self.members(of: object) { name, _ in names.append(name) }
        // Two equal names are ordered by their places in the text.
        names.sort { self.precedes($0, $1) || !self.precedes($1, $0) && $0 < $1 }
        return names.indices.compactMap { index in
            let isLast = index + 1 == names.count || self.precedes(names[index], names[index + 1])
            return isLast ? names[index] : nil
        }
    }

    private func precedes(_ name: Int, _ other: Int) -> Bool {
        if !self.hasEscapes(name), !self.hasEscapes(other) {
            return self.bytes(name).lexicographicallyPrecedes(self.bytes(other))
        }
        return self.unescaped(name).lexicographicallyPrecedes(self.unescaped(other))
    }

    private func writeString(_ index: Int, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        if self.hasEscapes(index) {
            for byte in self.unescaped(index) { Self.writeEscaped(byte, to: &bytes) }
        } else {
            bytes += self.bytes(index)
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private static func writeEscaped(_ byte: UInt8, to bytes: inout [UInt8]) {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
        case 0x08: bytes += "\\b".utf8
        case 0x09: bytes += "\\t".utf8
        case 0x0A: bytes += "\\n".utf8
        case 0x0C: bytes += "\\f".utf8
        case 0x0D: bytes += "\\r".utf8
        case 0..<0x20: bytes += "\\u00".utf8 + Hexadecimal.encode([byte])
        default: bytes.append(byte)
        }
    }
}
