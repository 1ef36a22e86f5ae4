import Foundation
import Glibc
import Synchronization

/// An upstream that accepts everything and remembers the requests to its URL, as they came over the wire.
///
/// The URL has a path of its own: the port may have belonged to an upstream that another test's worker still asks,
/// and such a request is not remembered, nor a connection that was closed before it asked anything.
final class CandidUpstream: Sendable {
    private let port: Int
    private let path = "/\(UUID().uuidString)"
    private let listener: Int32
    private let heard = Mutex<[(head: String, body: String)]>([])

    init() throws {
        struct NoSocket: Error { var errno: Int32 }
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                guard unsafe bind(listener, address, length) == 0, listen(listener, 16) == 0 else {
                    return Int32(-1)
                }
                return unsafe getsockname(listener, address, &length)
            }
        }
        guard status == 0 else { throw NoSocket(errno: errno) }
        self.listener = listener
        self.port = Int(UInt16(bigEndian: address.sin_port))
        Thread.detachNewThread { self.serve() }
    }

    /// The base URL that a worker is told.
    var url: String { "http://127.0.0.1:\(self.port)\(self.path)" }

    /// The heads of the requests so far.
    var heads: [String] { self.heard.withLock { $0.map(\.head) } }

    /// The bodies after those heads, as far as the requests said how long they are.
    var bodies: [String] { self.heard.withLock { $0.map(\.body) } }

    func stop() { shutdown(self.listener, Int32(SHUT_RDWR)) }

    /// One connection after the other, one request on each.
    private func serve() {
        while case let connection = accept(self.listener, nil, nil), connection >= 0 {
            let request = Self.request(on: connection)
            if request.head.split(separator: " ").dropFirst().first?.hasPrefix(self.path) == true {
                self.heard.withLock { $0.append(request) }
            }
            let body = #"{"ret":0,"msg":"ok"}"#
            let answer =
                "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: \(body.utf8.count)\r\n\r\n\(body)"
            _ = unsafe Array(answer.utf8).withUnsafeBytes {
                unsafe write(connection, $0.baseAddress, $0.count)
            }
            close(connection)
        }
        close(self.listener)
    }

    private static func request(on connection: Int32) -> (head: String, body: String) {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4_096)
        let end = Array("\r\n\r\n".utf8)
        while true {
            if let end = bytes.firstRange(of: end) {
                let head = String(decoding: bytes[..<end.upperBound], as: UTF8.self)
                let length = head.lowercased().firstMatch(of: /content-length: (\d{1,6})/).flatMap {
                    Int($0.1)
                }
                let body = bytes[end.upperBound...]
                if body.count >= length ?? 0 { return (head, String(decoding: body, as: UTF8.self)) }
            }
            let count = unsafe read(connection, &buffer, buffer.count)
            guard count > 0, bytes.count < 1 << 20 else {
                return (String(decoding: bytes, as: UTF8.self), "")
            }
            bytes += buffer.prefix(count)
        }
    }
}
