import Cryptography

/// UUIDs that are derived from a name (RFC 9562, section 5.5).
enum UUIDv5 {
    /// Returns the UUID of a name in lower-case text form. `nameSpace` is the 16 bytes of a UUID.
    static func text(of name: String, in nameSpace: [UInt8]) -> String {
        var bytes = Array(Digest.sha1(nameSpace + Array(name.utf8)).prefix(16))
        bytes[6] = bytes[6] & 0x0F | 0x50
        bytes[8] = bytes[8] & 0x3F | 0x80
        let digits = String(decoding: Hexadecimal.encode(bytes), as: UTF8.self)
        var rest = digits[...]
        return [8, 4, 4, 4, 12].map { length in
            defer { rest = rest.dropFirst(length) }
            return String(rest.prefix(length))
        }.joined(separator: "-")
    }
}
