import Hummingbird
package import Logging
import Operations
import ServiceLifecycle
import WebPages

/// A server that shows the statistics of a board as web pages, until its service group shuts down.
///
/// If the address is already in use, the server logs an error, serves nothing, and lets the worker run on.
/// Counting is more important than the dashboard, and several workers may share a machine.
package struct DashboardServer: Service {
    /// The greatest number of open connections. Few people use the dashboard, and each browser opens a
    /// handful of connections.
    private static let mostConnections = 64
    /// The longest header of a request, in bytes. The request line has the same limit.
    private static let longestHeader = 16_384
    /// The longest URI that is answered, in bytes. The dashboard's own links are shorter.
    private static let longestURI = 10_000

    private let settings: DashboardSettings
    private let topic: String
    private let board: StatisticsBoard
    private let standing: ReadingStanding
    private let logger: Logger
    private let now: @Sendable () -> Int64
    private let listening: @Sendable (_ port: Int) async -> Void

    /// Creates a server. It starts with `run()`.
    ///
    /// - Parameters:
    ///   - settings: the address, the names and the token of the dashboard.
    ///   - topic: the name of the topic from which the statistics are read; the pages show it.
    ///   - board: the statistics that are shown.
    ///   - standing: the state of the reading, which every page shows.
    ///   - logger: gets the address of the dashboard, or the reason why there is none.
    ///   - now: returns the wall-clock time in milliseconds since 1970.
    ///   - listening: called once, with the port, as soon as the server accepts connections.
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

    /// Serves the pages until the service group shuts down.
    ///
    /// - Throws: an error of a template that cannot be parsed, or a failure of the server while it runs. An
    ///   address that cannot be used is logged and not thrown.
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
            setting: "dashboard.port",
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
                answer: { request in Self.response(to: request, from: pages) }
            )
        } catch let error as SmallServer.CannotListen {
            logger.error("there is no dashboard", metadata: ["error": "\(error)"])
            try await gracefulShutdown()
        }
    }

    private static func response(to request: Request, from pages: Pages) -> Response {
        guard request.uri.string.utf8.count <= Self.longestURI else {
            let answer = PageAnswer(
                .tooLarge,
                "text/plain; charset=utf-8",
                body: "That address is too long.\n"
            )
            return answer.response(to: request)
        }
        return pages.answer(PageRequest(request)).response(to: request)
    }
}
