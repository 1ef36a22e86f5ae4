import Hummingbird
import HummingbirdCore
import Logging
import Operations
import ServiceLifecycle
import Synchronization

/// A server that takes the messages of a webhook, and keeps them.
final class Receiver: Service {
    /// A message, as it came.
    struct Message: Sendable {
        var headers: [String: String]
        var body: [UInt8]
    }

    private let kept = Mutex<[Message]>([])
    private let statuses: Mutex<[Int]>
    private let ports: AsyncStream<Int>
    private let port: AsyncStream<Int>.Continuation

    /// - Parameter statuses: The statuses of the first answers; the others are 204.
    init(statuses: [Int] = []) {
        self.statuses = Mutex(statuses)
        (self.ports, self.port) = AsyncStream.makeStream()
    }

    /// The messages that have come.
    var messages: [Message] { self.kept.withLock { $0 } }

    /// The ids of the messages that have come.
    var ids: [String] { self.messages.compactMap { $0.headers["webhook-id"] } }

    /// Whether the first message has come again.
    var hasSeenRepeat: Bool {
        let ids = self.ids
        return ids.count > 1 && ids.dropFirst().contains(ids[0])
    }

    func run() async throws {
        defer { self.port.finish() }
        let server = SmallServer(
            host: "127.0.0.1",
            port: 0,
            setting: "port",
            mostConnections: 16,
            longestHeader: 16_384,
            longestHeaders: 32_768
        )
        try await server.run(listening: { self.port.yield($0) }) { await self.answer($0) }
    }

    private func answer(_ request: Request) async -> Response {
        guard let body = try? await request.body.collect(upTo: 65_536) else {
            return Response(status: .contentTooLarge)
        }
        let headers = request.headers.map { ($0.name.canonicalName, $0.value) }
        let message = Message(
            headers: Dictionary(headers) { $1 },
            body: Array(buffer: body)
        )
        self.kept.withLock { $0.append(message) }
        let status = self.statuses.withLock { $0.isEmpty ? 204 : $0.removeFirst() }
        return Response(status: .init(code: status))
    }

    /// Serves for the time of `body`, which is told the URL.
    func serve(_ body: @escaping @Sendable (_ url: String) async throws -> Void) async throws {
        var logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        logger.logLevel = .critical
        let services = ServiceGroup(services: [self], logger: logger)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await services.run() }
            group.addTask {
                for await port in self.ports {
                    let result: Result<Void, any Error>
                    do { result = .success(try await body("http://127.0.0.1:\(port)/hook")) } catch {
                        result = .failure(error)
                    }
                    await services.triggerGracefulShutdown()
                    return try result.get()
                }
            }
            try await group.waitForAll()
        }
    }
}
