internal import CCurl
internal import Glibc

/// Tells addresses of the public internet from all others.
///
/// A URL that came from outside must not make this process call a machine of its own network, itself, or the
/// cloud's service of credentials. Its host is a name, so the address is judged when the connection is made,
/// and what a name stood for before does not count.
enum PublicAddress {
    /// Returns whether a socket address is one of the public internet.
    static func isPublic(_ address: UnsafeRawPointer, family: Int32, length: UInt32) -> Bool {
        switch family {
        case AF_INET where length >= UInt32(MemoryLayout<sockaddr_in>.size):
            let number = unsafe address.loadUnaligned(as: sockaddr_in.self).sin_addr.s_addr
            return self.isPublic(v4: UInt32(bigEndian: number))
        case AF_INET6 where length >= UInt32(MemoryLayout<sockaddr_in6>.size):
            var host = unsafe address.loadUnaligned(as: sockaddr_in6.self).sin6_addr
            let bytes = unsafe withUnsafeBytes(of: &host) { unsafe Array($0) }
            return self.isPublic(v6: bytes)
        default: return false
        }
    }

    /// Returns whether a numeric address, as libcurl writes it, is one of the public internet.
    static func isPublic(_ text: UnsafePointer<CChar>) -> Bool {
        var v4 = in_addr()
        if unsafe inet_pton(AF_INET, text, &v4) == 1 {
            return self.isPublic(v4: UInt32(bigEndian: v4.s_addr))
        }
        var v6 = in6_addr()
        guard unsafe inet_pton(AF_INET6, text, &v6) == 1 else { return false }
        return self.isPublic(v6: unsafe withUnsafeBytes(of: &v6) { unsafe Array($0) })
    }

    /// The networks of IPv4 that are not public (RFC 6890 and its successors), each with the length of its
    /// prefix.
    private static let special: [(network: UInt32, prefix: UInt32)] = [
        (0x0000_0000, 8), (0x0A00_0000, 8), (0x6440_0000, 10), (0x7F00_0000, 8), (0xA9FE_0000, 16),
        (0xAC10_0000, 12), (0xC000_0000, 24), (0xC000_0200, 24), (0xC058_6300, 24), (0xC0A8_0000, 16),
        (0xC612_0000, 15), (0xC633_6400, 24), (0xCB00_7100, 24), (0xE000_0000, 3),
    ]

    static func isPublic(v4 address: UInt32) -> Bool {
        !self.special.contains { (address ^ $0.network) >> (32 - $0.prefix) == 0 }
    }

    /// Judges the 16 bytes of an IPv6 address. Only global unicast is public, and an address that stands for
    /// one of IPv4 is as public as that one.
    static func isPublic(v6 bytes: [UInt8]) -> Bool {
        guard bytes.count == 16 else { return false }
        func embedded(at start: Int) -> UInt32 {
            bytes[start..<start + 4].reduce(0) { $0 << 8 | UInt32($1) }
        }
        let isMapped = bytes[..<10].allSatisfy { $0 == 0 } && bytes[10] == 0xFF && bytes[11] == 0xFF
        // 64:ff9b::/96 is how a network without IPv4 reaches the IPv4 internet (RFC 6052).
        let isTranslated =
            bytes[..<4].elementsEqual([0, 0x64, 0xFF, 0x9B]) && bytes[4..<12].allSatisfy { $0 == 0 }
        if isMapped || isTranslated { return self.isPublic(v4: embedded(at: 12)) }
        // 2002::/16 carries an address of IPv4 too.
        if bytes[0] == 0x20, bytes[1] == 0x02 { return self.isPublic(v4: embedded(at: 2)) }
        guard bytes[0] & 0xE0 == 0x20 else { return false }
        // 3fff::/20 belongs to documents (RFC 9637).
        if bytes[0] == 0x3F, bytes[1] == 0xFF, bytes[2] < 0x10 { return false }
        // 2001::/23 belongs to protocols, and 2001:db8::/32 to documents.
        if bytes[0] == 0x20, bytes[1] == 0x01 {
            return bytes[2] >= 0x02 && !(bytes[2] == 0x0D && bytes[3] == 0xB8)
        }
        return true
    }
}
