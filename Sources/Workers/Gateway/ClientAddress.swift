import WireFormats

/// An IP address as 128 bits. An IPv4 address stands as its IPv4-mapped IPv6 address (RFC 4291, 2.5.5.2), so
/// both spellings of it are one address.
struct ClientAddress: Hashable, Sendable {
    let high: UInt64
    let low: UInt64

    private static let mappedPrefix: UInt64 = 0xFFFF

    /// Reads an address as strictly as `inet_pton` does; nil for any other text.
    init?(_ text: some StringProtocol) {
        guard let groups = IPAddress.groups(of: String(text)) else { return nil }
        self.high = groups[..<4].reduce(0) { $0 << 16 | UInt64($1) }
        self.low = groups[4...].reduce(0) { $0 << 16 | UInt64($1) }
    }

    private init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Whether this is an IPv4 address.
    var isIPv4: Bool { self.high == 0 && self.low >> 32 == Self.mappedPrefix }

    /// The address as text: four numbers, or eight groups in full.
    var text: String {
        if self.isIPv4 {
            return [24, 16, 8, 0].map { String(self.low >> $0 & 0xFF) }.joined(separator: ".")
        }
        return [self.high, self.low].flatMap { half in
            [48, 32, 16, 0].map { String(half >> $0 & 0xFFFF, radix: 16) }
        }.joined(separator: ":")
    }

    /// The network that one client can have addresses from: the first 56 bits of an IPv6 address, which many
    /// providers give to one customer (RFC 6177), all of an IPv4 address.
    var network: ClientAddress {
        self.isIPv4 ? self : ClientAddress(high: self.high & ~0xFF, low: 0)
    }

    /// The network that one organisation or one customer of a generous provider can have addresses from: the first 48 bits
    /// of an IPv6 address (RFC 6177), which are 256 networks of `network`; all of an IPv4 address.
    var site: ClientAddress {
        self.isIPv4 ? self : ClientAddress(high: self.high & ~0xFFFF, low: 0)
    }

    /// Whether the first bits of both addresses are the same.
    func agrees(with other: ClientAddress, inBits count: Int) -> Bool {
        let highMask = count >= 64 ? UInt64.max : ~(UInt64.max >> UInt64(count))
        let lowMask = count <= 64 ? 0 : count >= 128 ? UInt64.max : ~(UInt64.max >> UInt64(count - 64))
        return (self.high ^ other.high) & highMask == 0 && (self.low ^ other.low) & lowMask == 0
    }
}
