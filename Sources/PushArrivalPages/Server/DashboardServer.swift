import Hummingbird
package import Logging
import Operations
import ServiceLifecycle
import WebPages

/// Serves the statistics of a board as web pages, until its service group tells it to stop.
///
/// Where its address is taken, it says so in the log and serves nobody: to count is more important than to be seen
/// counting, and several workers may share a machine.
package struct DashboardServer: Service {
    /// People are few, and each browser has a handful of connections.
    private static let mostConnections = 64
    /// The line with the address is bounded like one.
    private static let longestHeader = 16_384
    /// Longer than any link of ours.
    private static let longestURI = 10_000

    private let settings: DashboardSettings
    private let topic: String
    private let board: StatisticsBoard
    private let standing: ReadingStanding
    private let logger: Logger
    private let now: @Sendable () -> Int64
    private let listening: @Sendable (_ port: Int) async -> Void

    /// - Parameters:
    ///   - topic: what the statistics are read from, for those who look.
    ///   - now: wall-clock milliseconds since 1970.
    ///   - listening: called once, with the port, as soon as connections are accepted.
    package init(
        _ settings: DashboardSettings,
        topic: String,
        board: StatisticsBoard,
        standing: ReadingStanding,
        logger: Logger,
        now: @escaping @Sendable () -> Int64,
        listening: @escaping @Sendable (_ port: Int) async -> Void = { _ in }
    ) {
        self.settings = settings
        self.topic = topic
        self.board = board
        self.standing = standing
        self.logger = logger
        self.now = now
        self.listening = listening
    }

    package func run() async throws {
        let (settings, logger, listening) = (self.settings, self.logger, self.listening)
        let pages = Pages(
            door: Door(settings.served, token: settings.token),
            templates: try Templates(),
            board: self.board,
            standing: self.standing,
            topic: self.topic,
            now: self.now
        )
        let server = SmallServer(
            host: settings.served.address,
            port: settings.port,
            mostConnections: Self.mostConnections,
            longestHeader: Self.longestHeader,
            longestHeaders: 2 * Self.longestHeader
        )
        do {
            try await server.run(
                listening: { port in
                    let address = settings.served.url(port: port, isSecure: false)
                    logger.info("serving the dashboard", metadata: ["address": "\(address)"])
                    await listening(port)
                },
                answer: { Self.response(to: $0, from: pages) }
            )
        } catch let error as SmallServer.CannotListen {
            logger.error("there is no dashboard", metadata: ["error": "\(error)"])
            try await gracefulShutdown()
        }
    }

    private static func response(to request: Request, from pages: Pages) -> Response {
        guard request.uri.string.utf8.count <= Self.longestURI else {
            let answer = PageAnswer(.tooLarge, "text/plain; charset=utf-8", "That address is too long.\n")
            return answer.response(to: request)
        }
        return pages.answer(PageRequest(request)).response(to: request)
    }
}
