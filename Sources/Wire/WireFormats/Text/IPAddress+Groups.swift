extension IPAddress {
    /// Returns the eight groups of 16 bits of an address; nil if the text is none. An IPv4 address becomes its
    /// IPv4-mapped IPv6 address (RFC 4291, 2.5.5.2).
    package static func groups(of text: String) -> [UInt16]? {
        guard self.isValid(text) else { return nil }
        let bytes = Array(text.utf8)
        let colon = UInt8(ascii: ":")
        guard bytes.contains(colon) else { return [0, 0, 0, 0, 0, 0xFFFF] + self.values(of: bytes[...]) }
        guard
            let gap = bytes.indices.dropLast().first(where: { bytes[$0] == colon && bytes[$0 + 1] == colon })
        else { return self.values(of: bytes[...]) }
        let head = self.values(of: bytes[..<gap])
        let tail = self.values(of: bytes[(gap + 2)...])
        return head + Array(repeating: 0, count: 8 - head.count - tail.count) + tail
    }

    /// Returns the values of groups that are known to be valid. A dotted quad is two of them.
    private static func values(of text: ArraySlice<UInt8>) -> [UInt16] {
        text.split(separator: UInt8(ascii: ":")).flatMap { part -> [UInt16] in
            let quad = part.split(separator: UInt8(ascii: ".")).map { $0.decimal(as: UInt16.self) ?? 0 }
            guard quad.count == 4 else {
                return [part.reduce(0) { $0 << 4 | UInt16($1.hexadecimalValue ?? 0) }]
            }
            return [quad[0] << 8 | quad[1], quad[2] << 8 | quad[3]]
        }
    }
}
