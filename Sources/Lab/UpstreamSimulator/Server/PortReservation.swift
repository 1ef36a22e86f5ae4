internal import Glibc
internal import NIOCore

/// Holds a port while no process listens on it, so that connections are refused and the port is not given to
/// another process.
///
/// A socket that is bound and does not listen has this effect. Another socket can still be bound to the same
/// address later if both set SO_REUSEADDR.
final class PortReservation: Sendable {
    private let descriptor: CInt

    /// Binds a socket to the address; nil if that is not possible.
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
