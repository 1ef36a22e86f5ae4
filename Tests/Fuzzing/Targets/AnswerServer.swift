import Glibc
import Synchronization

/// An upstream that says to each connection what it was told to say, whatever it is asked, and closes it.
///
/// It runs on the thread of its client, which serves the two in turn: nothing of an exchange is left to chance.
final class AnswerServer {
    /// There is no port to be had.
    struct Failure: Error { let code: Int32 }

    /// One for all: each connection leaves a trace for a minute, and there are not as many ports.
    private static let shared = Mutex<AnswerServer?>(nil)

    /// Lends the server to one exchange at a time.
    static func answering<Result: Sendable>(
        _ answer: [UInt8],
        _ exchange: (AnswerServer) throws -> Result
    ) throws -> Result {
        try self.shared.withLock { shared in
            let server = try shared ?? AnswerServer()
            shared = server
            server.answer = answer
            defer { server.hangUp() }
            return try exchange(server)
        }
    }

    let port: UInt16
    private let listener: Int32
    private var connection: Int32 = -1
    private var answer: [UInt8] = []

    private init() throws(Failure) {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = unsafe withUnsafeMutablePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                guard unsafe bind(listener, address, length) == 0, listen(listener, 64) == 0,
                    unsafe getsockname(listener, address, &length) == 0
                else { return errno }
                return 0
            }
        }
        guard code == 0 else { throw Failure(code: code) }
        self.listener = listener
        self.port = UInt16(bigEndian: address.sin_port)
    }

    /// Readable when `serve` has something to do.
    var descriptor: Int32 { self.connection >= 0 ? self.connection : self.listener }

    /// Takes a connection, and answers once it has been asked.
    func serve() {
        if self.connection < 0 { self.connection = accept(self.listener, nil, nil) }
        var request = [UInt8](repeating: 0, count: 4_096)
        let dontWait = Int32(MSG_DONTWAIT)
        guard self.connection >= 0, unsafe recv(self.connection, &request, request.count, dontWait) >= 0
        else { return }
        // All of it fits into the socket's buffer.
        _ = unsafe send(self.connection, self.answer, self.answer.count, Int32(MSG_NOSIGNAL))
        self.hangUp()
    }

    private func hangUp() {
        if self.connection >= 0 { close(self.connection) }
        self.connection = -1
    }
}
