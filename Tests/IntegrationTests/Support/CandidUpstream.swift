import Foundation
import Glibc
import Synchronization

/// An upstream that accepts everything and remembers the heads of the requests, as they came over the wire.
final class CandidUpstream: Sendable {
    let port: Int
    private let listener: Int32
    private let heard = Mutex<[String]>([])

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

    /// The heads of the requests so far.
    var heads: [String] { self.heard.withLock { $0 } }

    func stop() { shutdown(self.listener, Int32(SHUT_RDWR)) }

    /// One connection after the other, one request on each.
    private func serve() {
        while case let connection = accept(self.listener, nil, nil), connection >= 0 {
            var head: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 4_096)
            while !head.suffix(4).elementsEqual("\r\n\r\n".utf8), head.count < 65_536 {
                let count = unsafe read(connection, &buffer, buffer.count)
                guard count > 0 else { break }
                head += buffer.prefix(count)
            }
            self.heard.withLock { $0.append(String(decoding: head, as: UTF8.self)) }
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
}
