import WireFormats

/// Names and values as a form sends them, in its body or after the question mark of an address
/// (`application/x-www-form-urlencoded`).
package struct FormFields: Hashable, Sendable {
    /// All fields in their order; a name may occur more than once.
    package private(set) var pairs: [Pair] = []

    /// One field of a form.
    package struct Pair: Hashable, Sendable {
        /// The decoded name.
        package var name: String
        /// The decoded value, with the spaces at its ends.
        package var value: String
    }

    /// The number of fields that are read at most; no form of ours has as many.
    private static let pairsLimit = 512
    /// No field of ours has a name with more bytes.
    private static let nameBytesLimit = 512

    /// Creates a list without fields.
    package init() {}

    /// Reads encoded fields. Bytes that are not UTF-8 become replacement characters, and fields after the
    /// first 512 are left out.
    package init(_ text: String) {
        // By bytes, as names are compared below: a stranger chooses the text, and it can be long.
        for part in text.utf8.split(separator: UInt8(ascii: "&")).prefix(Self.pairsLimit) {
            let halves = part.split(
                separator: UInt8(ascii: "="),
                maxSplits: 1,
                omittingEmptySubsequences: false
            )
            self.add(Self.decode(halves[0]), halves.count == 2 ? Self.decode(halves[1]) : "")
        }
    }

    /// Adds a field at the end.
    package mutating func add(_ name: String, _ value: String) {
        self.pairs.append(Pair(name: name, value: value))
    }

    /// The first value of this name, without the white space at its ends; nil if there is none or it is only
    /// white space.
    package subscript(name: String) -> String? {
        guard let value = self.exactly(name)?.trimmed, !value.isEmpty else { return nil }
        return value
    }

    /// Returns the first value of this name as it was sent, with its spaces; nil if there is none.
    package func exactly(_ name: String) -> String? {
        self.pairs.first { $0.name.isExactly(name) }?.value
    }

    /// Returns all values of this name without the white space at their ends. Values of only white space are
    /// left out.
    package func all(_ name: String) -> [String] {
        self.pairs.filter { $0.name.isExactly(name) }.map(\.value.trimmed).filter { !$0.isEmpty }
    }

    /// Returns the fields with one of these names, without the white space at the ends of their values.
    /// Values of only white space are left out.
    package func only(_ names: Set<String>) -> FormFields {
        var fields = FormFields()
        for pair in self.pairs where pair.name.utf8.count <= Self.nameBytesLimit {
            guard names.contains(pair.name), !pair.value.trimmed.isEmpty else { continue }
            fields.add(pair.name, pair.value.trimmed)
        }
        return fields
    }

    /// Returns the fields without those of this name.
    package func without(_ name: String) -> FormFields {
        var fields = self
        fields.pairs.removeAll { $0.name.isExactly(name) }
        return fields
    }

    /// The fields as they stand in an address after the question mark.
    package var text: String {
        self.pairs.map { Self.encode($0.name) + "=" + Self.encode($0.value) }.joined(separator: "&")
    }

    /// Returns a text in percent encoding, so that it can stand as a part of an address.
    package static func encode(_ text: String) -> String {
        String(decoding: PercentEncoding.encode(Array(text.utf8)), as: UTF8.self)
    }

    /// Returns a name or value without its encoding.
    private static func decode(_ text: some Sequence<UInt8>) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text)[...]
        while let first = rest.popFirst() {
            switch first {
            case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                // A percent sign that two hexadecimal digits do not follow stands for itself.
                guard let byte = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16),
                    rest.count >= 2, rest.first != UInt8(ascii: "+"), rest.first != UInt8(ascii: "-")
                else {
                    bytes.append(first)
                    continue
                }
                bytes.append(byte)
                rest = rest.dropFirst(2)
            default: bytes.append(first)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension StringProtocol {
    /// The text without the white space at both ends.
    package var trimmed: String {
        let front = self.drop(while: \.isWhitespace)
        return String(front.reversed().drop(while: \.isWhitespace).reversed())
    }
}
