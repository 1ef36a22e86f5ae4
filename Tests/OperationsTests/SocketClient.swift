import Foundation
import Glibc

/// As little HTTP as a probe speaks: one request, one connection, everything that comes back.
struct SocketClient {
    let port: Int

    struct Failure: Error {
        let code: Int32
    }

    /// Sends the text as it is and reads until the server closes. Waits on a thread of its own: the server under test
    /// needs those of the tasks.
    func exchange(_ request: String) async throws -> String {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(with: Result { try self.exchangeNow(request) })
            }
        }
    }

    private func exchangeNow(_ request: String) throws -> String {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw Failure(code: errno) }
        defer { close(descriptor) }
        var patience = timeval(tv_sec: 10, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, size)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(self.port).bigEndian)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let connected = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard connected == 0 else { throw Failure(code: errno) }
        let bytes = Array(request.utf8)
        _ = unsafe bytes.withUnsafeBytes {
            unsafe send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        var answer: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = unsafe chunk.withUnsafeMutableBytes {
                unsafe recv(descriptor, $0.baseAddress, $0.count, 0)
            }
            guard count > 0 else { break }
            answer.append(contentsOf: chunk[..<count])
        }
        return String(decoding: answer, as: UTF8.self)
    }

    func get(_ path: String, method: String = "GET") async throws -> (
        status: String, head: String, body: String
    ) {
        let answer = try await self.exchange(
            "\(method) \(path) HTTP/1.1\r\nHost: probe\r\nConnection: close\r\n\r\n"
        )
        let lines = answer.split(separator: "\r\n", omittingEmptySubsequences: false)
        let head = lines.prefix { !$0.isEmpty }
        let body = lines.dropFirst(head.count + 1).joined(separator: "\r\n")
        return (String(head.first ?? ""), head.joined(separator: "\n").lowercased(), body)
    }
}
