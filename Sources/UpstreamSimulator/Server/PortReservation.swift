internal import Glibc
internal import NIOCore

/// Holds a port while nobody listens on it, so that connecting is refused and nobody else is given the port.
///
/// A socket that is bound and does not listen does just that, and lets another be bound to the same address
/// later as long as both allow reuse.
final class PortReservation: Sendable {
    private let descriptor: CInt

    /// Nil when the port cannot be had.
    init?(_ address: SocketAddress) {
        let kind = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
        self.descriptor = socket(CInt(address.protocol.rawValue), kind, 0)
        guard self.descriptor >= 0 else { return nil }
        var yes: CInt = 1
        let size = socklen_t(MemoryLayout<CInt>.size)
        guard unsafe setsockopt(self.descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, size) == 0 else {
            return nil
        }
        let result = unsafe address.withSockAddr { pointer, length in
            unsafe bind(self.descriptor, pointer, socklen_t(length))
        }
        guard result == 0 else { return nil }
    }

    deinit {
        close(self.descriptor)
    }
}
