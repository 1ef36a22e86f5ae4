package import DeadLetters
import Hummingbird
import HummingbirdCore
import NIOCore
package import Operations
import ServerTLS
import ServiceLifecycle
import WebPages

/// Serves the dead letters as web pages until its service group stops it.
///
/// The server keeps two desks until the process ends: one for looking, and one that replays, one replay at a
/// time. When the server is stopped, a running replay ends after its present transaction, and the letters
/// that are left stay open.
package struct PagesServer: Service {
    /// The number of connections at most. The users are few, and each browser opens a handful of connections.
    private static let mostConnections = 128
    /// The length of one header at most, in bytes. Request line and headers have room for the ids of a whole
    /// page of letters.
    private static let longestHeader = 16_384
    /// The length of path and query at most, in bytes.
    private static let longestURI = 16_384
    /// The length of a posted form at most, in bytes.
    static let longestBody = 65_536

    private let settings: PagesSettings
    private let deskSettings: DeadLetterSettings
    private let environment: [String: String]
    private let now: @Sendable () -> Int64
    private let metrics: PagesMetrics?
    private let certificate: ServedCertificate?
    private let listening: @Sendable (_ port: Int) async -> Void

    /// Creates a server, which listens once `run()` is called.
    ///
    /// - Parameters:
    ///   - desk: the settings of the desks. Their `user` is not used, because each request names its user.
    ///   - environment: the variables of the process, for the standard path of the index.
    ///   - now: returns the wall-clock time in milliseconds since 1970.
    ///   - metrics: shows how many letters are open; nil if nobody scrapes it.
    ///   - listening: called once, with the port, as soon as connections are accepted.
    /// - Throws: `PagesSettings.Unsafe` before anything is opened, or an error about the certificate or its key.
    package init(
        _ settings: PagesSettings,
        desk: DeadLetterSettings,
        environment: [String: String],
        now: @escaping @Sendable () -> Int64,
        metrics: PagesMetrics? = nil,
        listening: @escaping @Sendable (_ port: Int) async -> Void = { _ in }
    ) throws {
        try settings.check()
        let certificate = try settings.tls.map { try ServedCertificate($0) }
        if let certificate { metrics?.follow(certificate) }
        self.certificate = certificate
        self.settings = settings
        self.deskSettings = desk
        self.environment = environment
        self.now = now
        self.metrics = metrics
        self.listening = listening
    }

    /// The files of the certificate, of the proxy's token and of the webhook's key, for a watch that has the server take up
    /// new ones; empty if there are none.
    package var watchedFiles: [SecretFileWatch.File] {
        (self.certificate?.watchedFiles ?? []) + self.settings.watchedFiles
    }

    /// Serves until the service group stops it.
    ///
    /// - Throws: `SmallServer.CannotListen`; an error that keeps a desk from being opened, such as a cluster
    ///   that does not answer.
    package func run() async throws {
        let (looking, replaying) = (DeskThread(), DeskThread())
        let runner = ReplayRunner(replaying, now: self.now)
        let watch = IndexWatch()
        let (deskSettings, environment, now) = (self.deskSettings, self.environment, self.now)
        let open: @Sendable () throws -> Desk = {
            Desk(try ClusterReader(deskSettings, environment: environment), now: now)
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await looking.run(open) }
            group.addTask { try await replaying.run(open) }
            group.addTask { await runner.run() }
            group.addTask {
                // The desk threads and the runner have to end whichever way serving ends; each finishes its
                // present job first.
                defer {
                    runner.close()
                    looking.close()
                    replaying.close()
                }
                try await self.serve(looking, replaying, runner: runner, watch: watch)
            }
            do {
                while try await group.next() != nil {}
            } catch {
                runner.close()
                looking.close()
                replaying.close()
                group.cancelAll()
                throw error
            }
        }
    }

    /// Waits for both desks, then serves the pages.
    private func serve(
        _ desk: DeskThread,
        _ replaying: DeskThread,
        runner: ReplayRunner,
        watch: IndexWatch
    ) async throws {
        let (index, mask): (LetterIndex, LetterMask)
        do {
            (index, mask) = try await desk.perform { ($0.index, $0.mask) }
            // The server accepts no connection before both desks are open.
            try await replaying.perform { _ in }
        } catch is DeskThread.Closed {
            // `run` throws the error of the desk thread itself, which says why there is no desk.
            return
        }
        let pages = Pages(
            gate: Gate(self.settings),
            templates: try Templates(),
            desk: desk,
            runner: runner,
            watch: watch,
            shelf: PlanShelf(),
            index: index,
            mask: mask,
            now: self.now
        )
        let server = SmallServer(
            host: self.settings.host,
            port: self.settings.port,
            setting: "serve.port",
            mostConnections: Self.mostConnections,
            longestHeader: Self.longestHeader,
            longestHeaders: 2 * Self.longestHeader
        )
        let certificate = self.certificate
        let refresher = IndexRefresher(
            desk: desk,
            watch: watch,
            settings: self.settings,
            metrics: self.metrics,
            now: self.now
        )
        let sender = self.settings.webhook.map {
            WebhookSender(
                webhook: $0,
                desk: desk,
                watch: watch,
                settings: self.settings,
                metrics: self.metrics,
                now: self.now
            )
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await refresher.run() }
            if let sender { group.addTask { try await sender.run() } }
            defer { group.cancelAll() }
            try await server.run(
                secured: { try certificate?.secure($0) ?? $0 },
                listening: self.listening
            ) { request in
                await Self.response(to: request, from: pages)
            }
        }
    }

    /// Answers a request; an error becomes an answer too.
    private static func response(to request: Request, from pages: Pages) async -> Response {
        var answer: PageAnswer
        do {
            answer = await pages.answer(try await Self.pageRequest(request))
        } catch let refusal as Refusal {
            answer = PageAnswer(refusal.status, "text/plain; charset=utf-8", body: refusal.sentence + "\n")
        } catch {
            // The body was too long, or the connection broke off while the body was read.
            answer = PageAnswer(.tooLarge, "text/plain; charset=utf-8", body: "That is too long.\n")
        }
        return answer.response(to: request)
    }

    /// A request that is refused before a page sees it.
    private struct Refusal: Error {
        var status: PageAnswer.Status
        var sentence: String
    }

    /// Reads a request, with its form if it has one.
    ///
    /// - Throws: `Refusal` for an address that is too long or a body that is no form; an error if the body is
    ///   longer than `longestBody`.
    private static func pageRequest(_ request: Request) async throws -> PageRequest {
        guard request.uri.string.utf8.count <= Self.longestURI else {
            throw Refusal(status: .tooLarge, sentence: "That address is too long.")
        }
        var page = PageRequest(request)
        guard page.method == .post else { return page }
        let type = page.headers["content-type"]?.split(separator: ";").first?.trimmed.lowercased()
        guard type == "application/x-www-form-urlencoded" else {
            throw Refusal(status: .badRequest, sentence: "Only forms are taken.")
        }
        let body = try await request.body.collect(upTo: Self.longestBody)
        page.form = FormFields(String(buffer: body))
        return page
    }
}
