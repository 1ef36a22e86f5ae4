import WireFormats

/// Names and values as a form sends them, in its body or after a question mark (`application/x-www-form-urlencoded`).
package struct FormFields: Hashable, Sendable {
    package private(set) var pairs: [Pair] = []

    package struct Pair: Hashable, Sendable {
        package var name: String
        package var value: String
    }

    /// Of a form of ours there are fewer.
    private static let pairsLimit = 512

    package init() {}

    /// What is no UTF-8 gets the replacement character; pairs beyond a limit are left out.
    package init(_ text: String) {
        for part in text.split(separator: "&").prefix(Self.pairsLimit) {
            let halves = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            self.add(Self.decode(halves[0]), halves.count == 2 ? Self.decode(halves[1]) : "")
        }
    }

    /// Behind all others.
    package mutating func add(_ name: String, _ value: String) {
        self.pairs.append(Pair(name: name, value: value))
    }

    /// The first value of this name; nil if there is none or it is nothing but spaces.
    package subscript(name: String) -> String? {
        guard let value = self.pairs.first(where: { $0.name == name })?.value.trimmed, !value.isEmpty else {
            return nil
        }
        return value
    }

    /// The first value of this name as it was sent, spaces and all; nil if there is none.
    package func exactly(_ name: String) -> String? {
        self.pairs.first { $0.name == name }?.value
    }

    /// All values of this name that are more than spaces.
    package func all(_ name: String) -> [String] {
        self.pairs.filter { $0.name == name }.map(\.value.trimmed).filter { !$0.isEmpty }
    }

    /// Those of these names that are more than spaces.
    package func only(_ names: Set<String>) -> FormFields {
        var fields = FormFields()
        for pair in self.pairs where names.contains(pair.name) && !pair.value.trimmed.isEmpty {
            fields.add(pair.name, pair.value.trimmed)
        }
        return fields
    }

    /// All but those of this name.
    package func without(_ name: String) -> FormFields {
        var fields = self
        fields.pairs.removeAll { $0.name == name }
        return fields
    }

    /// As it stands in an address.
    package var text: String {
        self.pairs.map { Self.encode($0.name) + "=" + Self.encode($0.value) }.joined(separator: "&")
    }

    /// A part of an address: nothing in it can end it.
    package static func encode(_ text: String) -> String {
        String(decoding: PercentEncoding.encode(Array(text.utf8)), as: UTF8.self)
    }

    private static func decode(_ text: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let first = rest.popFirst() {
            switch first {
            case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                // A percent sign that begins no byte stands for itself.
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
    /// Without the white space at both ends.
    package var trimmed: String {
        let front = self.drop(while: \.isWhitespace)
        return String(front.reversed().drop(while: \.isWhitespace).reversed())
    }
}
