import NIOCore

extension SocketAddress {
    /// The first bytes of an IPv6 address that stands for an IPv4 address (RFC 4291, 2.5.5.2).
    private static let mappedPrefix = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]

    /// The network that one client can have addresses from: the first 56 bits of an IPv6 address, which many
    /// providers give to one customer (RFC 6177), all of an IPv4 address. All clients of a Unix socket are in one network.
    var clientNetwork: [UInt8] {
        let bytes = unsafe self.withSockAddr { pointer, count in
            unsafe Array(UnsafeRawBufferPointer(start: pointer, count: count))
        }
        switch self {
        // The address follows the family and the port.
        case .v4: return Array(bytes[4..<8])
        // The flow label stands between the port and the address.
        case .v6:
            let address = bytes[8..<24]
            return Array(address.starts(with: Self.mappedPrefix) ? address.suffix(4) : address.prefix(7))
        case .unixDomainSocket: return []
        }
    }
}
