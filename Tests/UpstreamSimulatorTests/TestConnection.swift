import Foundation
import Glibc
import Synchronization

/// A blocking client over a plain socket, so that the server is tested with nothing of its own library. It blocks
/// on threads made for that: those that run tasks are few, and the server needs them.
final class TestConnection: Sendable {
    struct Refused: Error {}

    enum Ending: Equatable {
        case complete
        case refused
        case closed
        case reset
        /// Nothing more came for a while.
        case silent
    }

    struct Answer {
        var status: Int?
        var head = ""
        var body = ""
        var ending: Ending

        /// Only when the answer is one of the API's own.
        var ret: Int? {
            guard self.status == 200, self.body.hasPrefix("{\"ret\":"), self.body.hasSuffix("\"}") else {
                return nil
            }
            return Int(self.body.dropFirst(7).prefix { $0 != "," })
        }

        func header(_ name: String) -> String? {
            self.head.split(separator: "\r\n").first { $0.hasPrefix("\(name): ") }
                .map { String($0.dropFirst(name.count + 2)) }
        }
    }

    private let descriptor: CInt
    private let unread = Mutex<[UInt8]>([])

    init(port: Int) async throws {
        let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        self.descriptor = descriptor
        let isConnected = await Self.blocking {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = UInt16(port).bigEndian
            address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
            return unsafe withUnsafePointer(to: &address) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
                }
            }
        }
        guard isConnected else { throw Refused() }
    }

    deinit {
        close(self.descriptor)
    }

    /// Whether nobody listens any more at a port that has just been left. The system may give such a port to another
    /// test at once, so one of a few has to be found empty.
    static func isRefused(afterLeaving leave: () async throws -> Int) async throws -> Bool {
        for _ in 1...3 {
            do {
                _ = try await TestConnection(port: try await leave())
            } catch is Refused {
                return true
            }
        }
        return false
    }

    /// One request on a connection of its own.
    static func ask(_ port: Int, _ target: String, method: String = "GET", body: String = "") async -> Answer
    {
        guard let connection = try? await TestConnection(port: port) else { return Answer(ending: .refused) }
        return await connection.ask(target, method: method, body: body)
    }

    func ask(_ target: String, method: String = "GET", body: String = "") async -> Answer {
        self.send(Self.request(target, method: method, body: body))
        return await self.read()
    }

    static func request(_ target: String, method: String = "GET", body: String = "", more: String = "")
        -> String
    {
        "\(method) \(target) HTTP/1.1\r\nhost: test\r\ncontent-length: \(body.utf8.count)\r\n\(more)\r\n\(body)"
    }

    func send(_ text: String) {
        let bytes = Array(text.utf8)
        let sent = unsafe bytes.withUnsafeBytes { buffer in
            unsafe Glibc.send(self.descriptor, buffer.baseAddress, buffer.count, CInt(MSG_NOSIGNAL))
        }
        precondition(sent < 0 || sent == bytes.count, "requests are shorter than a socket's buffer")
    }

    /// Reads one answer, or as much of it as comes. Waits no longer than `patience` for each part.
    func read(patience: Int = 10_000) async -> Answer {
        await Self.blocking { self.readBlocking(patience: patience) }
    }

    private func readBlocking(patience: Int) -> Answer {
        var bytes = self.unread.withLock { unread in
            defer { unread = [] }
            return unread
        }
        while true {
            if let (answer, end) = Self.parse(bytes), end <= bytes.count {
                self.unread.withLock { $0 = Array(bytes[end...]) }
                return answer
            }
            var ending = Ending.silent
            var entry = pollfd(fd: self.descriptor, events: Int16(POLLIN), revents: 0)
            if unsafe poll(&entry, 1, CInt(patience)) > 0 {
                var chunk = [UInt8](repeating: 0, count: 65536)
                let count = unsafe chunk.withUnsafeMutableBytes {
                    unsafe recv(self.descriptor, $0.baseAddress, $0.count, 0)
                }
                if count > 0 {
                    bytes += chunk.prefix(count)
                    continue
                }
                ending = count == 0 ? .closed : .reset
            }
            var answer = Self.parse(bytes)?.0 ?? Answer(ending: ending)
            answer.ending = ending
            return answer
        }
    }

    /// An answer whose head is there, and where it should end.
    private static func parse(_ bytes: [UInt8]) -> (Answer, end: Int)? {
        let text = String(decoding: bytes, as: UTF8.self)
        guard let separator = text.firstRange(of: "\r\n\r\n") else { return nil }
        let head = String(text[..<separator.lowerBound])
        let bodyStart = text.utf8.distance(from: text.startIndex, to: separator.upperBound)
        var answer = Answer(status: Int(head.dropFirst(9).prefix(3)), head: head, ending: .complete)
        let end = bodyStart + (answer.header("content-length").flatMap { Int($0) } ?? 0)
        answer.body = String(decoding: bytes[bodyStart..<min(end, bytes.count)], as: UTF8.self)
        return (answer, end)
    }

    private static func blocking<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: work()) }
        }
    }
}
