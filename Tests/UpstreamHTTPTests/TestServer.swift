import Glibc
import Synchronization

/// A server that does to each connection what a test wants: blocking sockets, a thread for each connection.
final class TestServer: Sendable {
    struct Request: Sendable {
        var connection: Int
        var head: String
        var body: [UInt8]
    }

    let port: UInt16
    private let listener: Int32
    private let log = Mutex<[Request]>([])

    var requests: [Request] { self.log.withLock { $0 } }
    var connectionCount: Int { Set(self.requests.map(\.connection)).count }

    func url(_ path: String = "/", scheme: String = "http") -> String {
        "\(scheme)://127.0.0.1:\(self.port)\(path)"
    }

    /// Runs `behave` for each connection, and closes it afterwards.
    init(_ behave: @escaping @Sendable (Connection) -> Void) {
        let (listener, port) = Self.listen()
        self.listener = listener
        self.port = port
        detach {
            var number = 0
            while true {
                let socket = accept(listener, nil, nil)
                guard socket >= 0 else { break }
                let connection = Connection(number: number, socket: socket, server: self)
                number += 1
                detach {
                    behave(connection)
                    close(socket)
                }
            }
            close(listener)
        }
    }

    /// Answers every request of every connection with what `answer` makes of it.
    static func answering(_ answer: @escaping @Sendable (Request) -> String) -> TestServer {
        TestServer { connection in
            while let request = connection.request() {
                connection.send(answer(request))
            }
        }
    }

    func stop() { shutdown(self.listener, Int32(SHUT_RDWR)) }

    fileprivate func received(_ request: Request) { self.log.withLock { $0.append(request) } }

    private static func listen() -> (Int32, UInt16) {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        unsafe withUnsafeMutablePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe precondition(bind(listener, address, length) == 0, "bind: \(errno)")
                precondition(Glibc.listen(listener, 1_024) == 0, "listen: \(errno)")
                unsafe getsockname(listener, address, &length)
            }
        }
        return (listener, UInt16(bigEndian: address.sin_port))
    }
}

/// The server's end of one connection.
struct Connection: Sendable {
    let number: Int
    fileprivate let socket: Int32
    fileprivate let server: TestServer

    /// The next request, complete with its body, or nil at the end of the connection.
    func request() -> TestServer.Request? {
        var bytes: [UInt8] = []
        while !bytes.suffix(4).elementsEqual("\r\n\r\n".utf8) {
            guard let byte = self.read(1) else { return nil }
            bytes += byte
        }
        let head = String(decoding: bytes, as: UTF8.self)
        let length = head.split(separator: "\r\n").first { $0.hasPrefix("Content-Length: ") }
            .flatMap { Int($0.dropFirst(16)) }
        guard let body = self.read(length ?? 0) else { return nil }
        let request = TestServer.Request(connection: self.number, head: head, body: body)
        self.server.received(request)
        return request
    }

    /// False once the client has gone.
    @discardableResult
    func send(_ text: String) -> Bool {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes {
                unsafe Glibc.send(self.socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Returns when the client has closed its end.
    func waitForEnd() {
        while self.read(1) != nil {}
    }

    private func read(_ count: Int) -> [UInt8]? {
        var bytes: [UInt8] = []
        while bytes.count < count {
            var some = [UInt8](repeating: 0, count: count - bytes.count)
            let got = unsafe recv(self.socket, &some, some.count, 0)
            guard got > 0 else { return nil }
            bytes += some.prefix(got)
        }
        return bytes
    }
}

/// A complete answer with a body.
func ok(_ body: String = "", headers: String = "", status: String = "200 OK") -> String {
    "HTTP/1.1 \(status)\r\n\(headers)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
}
