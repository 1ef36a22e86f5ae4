import WireFormats

/// A range of addresses, as `10.0.0.0/8` or as a single address.
struct AddressRange: Hashable, Sendable {
    private let address: ClientAddress
    /// The number of leading bits that are the same in the whole range, of 128.
    private let bits: Int

    /// Reads a range; nil for any other text. Bits behind the prefix do not matter.
    init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard let first = parts.first, parts.count <= 2, let address = ClientAddress(first) else {
            return nil
        }
        let width = address.isIPv4 && !first.contains(":") ? 32 : 128
        var prefix = width
        if parts.count == 2 {
            guard let length = Int(parts[1]), (0...width).contains(length) else { return nil }
            prefix = length
        }
        self.address = address
        self.bits = 128 - width + prefix
    }

    /// Returns whether the address is in the range.
    func contains(_ other: ClientAddress) -> Bool {
        self.address.agrees(with: other, inBits: self.bits)
    }
}

/// The proxies that are believed when they say for whom they ask.
struct TrustedProxies: Sendable {
    /// The most proxies in a row that are looked at.
    private static let hopsLimit = 16

    private let ranges: [AddressRange]

    init(_ ranges: [AddressRange]) { self.ranges = ranges }

    /// Returns the address of the client: the peer, unless the peer is a trusted proxy.
    ///
    /// Each proxy appends the address of its own peer to `X-Forwarded-For`. The list is therefore read from
    /// its end, and only as far as each address is a trusted proxy. Text before that is the client's own
    /// invention.
    ///
    /// - Parameter forwarded: the values of all headers `X-Forwarded-For`, in their order.
    /// - Returns: The client. It is not certain if a trusted proxy has named it in words that are no address: then it is
    ///   the proxy itself, for all who come through it.
    func client(behind peer: ClientAddress, forwarded: [String]) -> (address: ClientAddress, isCertain: Bool)
    {
        guard !self.ranges.isEmpty, self.contains(peer), !forwarded.isEmpty else { return (peer, true) }
        let text = Array(forwarded.joined(separator: ",").utf8)
        var entries = text.split(separator: UInt8(ascii: ",")).suffix(Self.hopsLimit)
        var client = peer
        while self.contains(client), let entry = entries.popLast() {
            guard let address = Self.address(entry.trimmingWhiteSpace()) else { return (client, false) }
            client = address
        }
        return (client, true)
    }

    /// Reads an address, with a port or without: `192.0.2.1:4711`, `[2001:db8::1]:4711`.
    private static func address(_ entry: ArraySlice<UInt8>) -> ClientAddress? {
        if let address = ClientAddress(String(decoding: entry, as: UTF8.self)) { return address }
        let isBracketed = entry.first == UInt8(ascii: "[")
        let end = isBracketed ? UInt8(ascii: "]") : UInt8(ascii: ":")
        guard let last = entry.firstIndex(of: end) else { return nil }
        let host = entry[..<last].dropFirst(isBracketed ? 1 : 0)
        var port = entry[(isBracketed ? last + 1 : last)...]
        if port.first == UInt8(ascii: ":") { port = port.dropFirst() } else if !port.isEmpty { return nil }
        guard port.allSatisfy(\.isDigit), port.count <= 5 else { return nil }
        return ClientAddress(String(decoding: host, as: UTF8.self))
    }

    /// Whether a peer is one of the proxies.
    func contains(_ address: ClientAddress) -> Bool {
        self.ranges.contains { $0.contains(address) }
    }
}
