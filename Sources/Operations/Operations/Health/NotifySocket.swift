import Glibc

/// The datagram socket on which a service manager such as systemd listens to its services, as sd_notify(3)
/// describes it.
struct NotifySocket: ~Copyable, Sendable {
    /// A socket that cannot be used. Its description is the end of a sentence.
    struct Unusable: Error, Hashable, CustomStringConvertible {
        let description: String
    }

    /// The number of bytes of the longest name, without the zero after a path.
    private static let longestName = 107

    private let descriptor: Int32
    /// The name's bytes. The first byte of an abstract name is zero.
    private let name: [UInt8]

    /// - Parameter name: An absolute path, or `@` and the name of an abstract socket.
    /// - Throws: `Unusable` if the name is of another kind or too long, or if the system makes no socket.
    init(_ name: String) throws(Unusable) {
        var bytes = Array(name.utf8)
        guard bytes.first == UInt8(ascii: "/") || bytes.first == UInt8(ascii: "@"), bytes.count > 1 else {
            throw Unusable(description: "it is neither an absolute path nor an abstract name")
        }
        guard bytes.count <= Self.longestName, !bytes.contains(0) else {
            throw Unusable(description: "its name has more than \(Self.longestName) bytes or a zero byte")
        }
        if bytes[0] == UInt8(ascii: "@") { bytes[0] = 0 }
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else {
            throw Unusable(description: "the system makes no socket (error \(errno))")
        }
        self.descriptor = descriptor
        self.name = bytes
    }

    deinit { close(self.descriptor) }

    /// Sends a message, without waiting for room. Any thread may call it.
    ///
    /// The socket is not connected, because a manager that starts anew listens on a new socket of the old name.
    ///
    /// - Returns: Whether the message is on its way.
    func send(_ message: String) -> Bool {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: self.name) }
        // An abstract name ends where its length says, a path with a zero.
        let ending = self.name[0] == 0 ? 0 : 1
        let length = socklen_t(MemoryLayout<sa_family_t>.size + self.name.count + ending)
        let bytes = Array(message.utf8)
        let sent = unsafe withUnsafePointer(to: address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                let flags = Int32(MSG_DONTWAIT | MSG_NOSIGNAL)
                return unsafe sendto(self.descriptor, bytes, bytes.count, flags, $0, length)
            }
        }
        return sent == bytes.count
    }
}
