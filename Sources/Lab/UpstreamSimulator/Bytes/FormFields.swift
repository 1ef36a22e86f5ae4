/// The fields of a query, decoded as a server decodes a form: `+` is a space, and `%XX` is a byte.
///
/// A `+` that the reporter did not escape therefore arrives as a space. The simulator thus detects that
/// mistake.
struct FormFields {
    private var fields: [(name: String, value: [UInt8])] = []

    /// Whether every part between two `&` was a non-empty name, an equals sign and a value.
    private(set) var isWellFormed = true

    init(decoding query: ArraySlice<UInt8>) {
        for piece in query.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false) {
            guard let equals = piece.firstIndex(of: UInt8(ascii: "=")), equals > piece.startIndex else {
                self.isWellFormed = false
                continue
            }
            let name = String(decoding: Self.decode(piece[..<equals]), as: UTF8.self)
            self.fields.append((name, Self.decode(piece[(equals + 1)...])))
        }
    }

    /// The first value with that name; nil if the name is absent or its value is empty.
    subscript(name: String) -> [UInt8]? {
        for field in self.fields where field.name == name {
            return field.value.isEmpty ? nil : field.value
        }
        return nil
    }

    /// The first value with that name as text; empty if it is absent.
    func text(_ name: String) -> String {
        String(decoding: self[name] ?? [], as: UTF8.self)
    }

    private static func decode(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.count)
        var at = bytes.startIndex
        while at < bytes.endIndex {
            let byte = bytes[at]
            at += 1
            if byte == UInt8(ascii: "+") {
                decoded.append(UInt8(ascii: " "))
            } else if byte == UInt8(ascii: "%"), at + 1 < bytes.endIndex,
                let high = Hex.value(of: bytes[at]), let low = Hex.value(of: bytes[at + 1])
            {
                decoded.append(high &<< 4 | low)
                at += 2
            } else {
                decoded.append(byte)
            }
        }
        return decoded
    }
}
