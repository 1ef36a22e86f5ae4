import Foundation
import Glibc

/// As little HTTP as tests need: one request, one connection, everything that comes back, and nothing done about it.
package struct PlainHTTP: Sendable {
    package struct Failure: Error {
        package let code: Int32
    }

    package struct Answer: Sendable {
        /// All of it, as it came.
        package var text: String
        /// Such as `HTTP/1.1 200 OK`.
        package var statusLine: String
        /// 0 where that is none.
        package var status: Int
        /// By their names in small letters.
        package var headers: [String: String]
        package var body: String
    }

    package let port: Int
    /// The patience of the socket, in seconds: how long the other side may be silent.
    private let patience: Int
    /// The address of this end, such as 0x7F00_0002 for 127.0.0.2; nil for the system's choice.
    private let source: UInt32?

    package init(port: Int, patience: Int = 60, source: UInt32? = nil) {
        self.port = port
        self.patience = patience
        self.source = source
    }

    /// Sends the text as it is and reads until the other side closes, or has said all that it announced. Waits on a
    /// thread of its own: the server under test needs those of the tasks.
    package func exchange(_ request: String) async throws -> Answer {
        let text = try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(with: Result { try self.exchangeNow(request) })
            }
        }
        return Answer(text)
    }

    package func request(
        _ method: String,
        _ path: String,
        headers: [String: String],
        body: String = ""
    ) async throws -> Answer {
        var headers = headers
        headers["Connection"] = "close"
        if method != "GET", method != "HEAD" { headers["Content-Length"] = String(body.utf8.count) }
        let lines = headers.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)\r\n" }.joined()
        return try await self.exchange("\(method) \(path) HTTP/1.1\r\n\(lines)\r\n\(body)")
    }

    private static func isWhole(_ answer: [UInt8]) -> Bool {
        guard let end = answer.firstRange(of: Array("\r\n\r\n".utf8)) else { return false }
        let head = String(decoding: answer[..<end.lowerBound], as: UTF8.self).lowercased()
        guard let name = head.firstRange(of: "content-length:") else { return false }
        let digits = head[name.upperBound...].drop { $0 == " " }.prefix { $0.isNumber }
        return Int(digits).map { answer.count - end.upperBound >= $0 } ?? false
    }

    /// Opens a connection, sends the text as it is, and leaves it at that.
    package func connection(sending text: String) throws -> PlainConnection {
        let connection = PlainConnection(try self.connectedSocket())
        connection.send(text)
        return connection
    }

    private func connectedSocket() throws -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw Failure(code: errno) }
        var patience = timeval(tv_sec: self.patience, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, size)
        do {
            if let source { try Self.attach(descriptor, to: source, port: 0, isOwn: true) }
            try Self.attach(descriptor, to: 0x7F00_0001, port: self.port, isOwn: false)
        } catch {
            close(descriptor)
            throw error
        }
        return descriptor
    }

    /// Binds a socket to an address of this end, or connects it to one of the other end.
    private static func attach(
        _ descriptor: Int32,
        to host: UInt32,
        port: Int,
        isOwn: Bool
    ) throws(Failure) {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(port).bigEndian)
        address.sin_addr.s_addr = host.bigEndian
        let result = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                let size = socklen_t(MemoryLayout<sockaddr_in>.size)
                return unsafe isOwn ? bind(descriptor, $0, size) : connect(descriptor, $0, size)
            }
        }
        guard result == 0 else { throw Failure(code: errno) }
    }

    private func exchangeNow(_ request: String) throws -> String {
        let descriptor = try self.connectedSocket()
        defer { close(descriptor) }
        var rest = Array(request.utf8)[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes {
                unsafe send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            // A server that has heard enough may close before it has read all.
            guard count > 0 else { break }
            rest = rest.dropFirst(count)
        }
        var answer: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = unsafe chunk.withUnsafeMutableBytes {
                unsafe recv(descriptor, $0.baseAddress, $0.count, 0)
            }
            guard count > 0 else { break }
            answer.append(contentsOf: chunk[..<count])
            // chromedriver keeps its connections, whatever it is asked.
            if Self.isWhole(answer) { break }
        }
        return String(decoding: answer, as: UTF8.self)
    }
}

extension PlainHTTP.Answer {
    fileprivate init(_ text: String) {
        let end = text.firstRange(of: "\r\n\r\n")
        let head = text[..<(end?.lowerBound ?? text.endIndex)].split(separator: "\r\n")
        var headers: [String: String] = [:]
        for line in head.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2 else { continue }
            headers[parts[0].lowercased()] = String(parts[1].drop { $0 == " " })
        }
        let words = head.first?.split(separator: " ") ?? []
        self.init(
            text: text,
            statusLine: head.first.map(String.init) ?? "",
            status: words.count > 1 ? Int(words[1]) ?? 0 : 0,
            headers: headers,
            body: end.map { String(text[$0.upperBound...]) } ?? ""
        )
    }
}
