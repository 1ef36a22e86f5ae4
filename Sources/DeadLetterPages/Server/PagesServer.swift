package import DeadLetters
import Hummingbird
import HummingbirdCore
import HummingbirdTLS
import NIOCore
import NIOSSL
import Operations
import ServiceLifecycle
import WebPages

/// Serves the dead letters as web pages, until its service group tells it to stop.
///
/// It keeps two desks to the end of the process: one at which people look, and one that replays, one replay at a time.
/// Told to stop, it lets the present replay come to a halt between two records, and leaves the rest open.
package struct PagesServer: Service {
    /// People are few, and each browser has a handful of connections.
    private static let mostConnections = 128
    /// Room for the ids of a whole page of letters.
    private static let longestHeader = 16_384
    private static let longestURI = 16_384
    static let longestBody = 65_536

    private let settings: PagesSettings
    private let deskSettings: DeadLetterSettings
    private let environment: [String: String]
    private let now: @Sendable () -> Int64
    private let listening: @Sendable (_ port: Int) async -> Void

    /// - Parameters:
    ///   - desk: as for every other command. Its `user` is not used: who is at work, each request tells.
    ///   - environment: the process's own, for the index's usual place.
    ///   - now: wall-clock milliseconds since 1970.
    ///   - listening: called once, with the port, as soon as connections are accepted.
    /// - Throws: `PagesSettings.Unsafe`; nothing has been opened then.
    package init(
        _ settings: PagesSettings,
        desk: DeadLetterSettings,
        environment: [String: String],
        now: @escaping @Sendable () -> Int64,
        listening: @escaping @Sendable (_ port: Int) async -> Void = { _ in }
    ) throws(PagesSettings.Unsafe) {
        try settings.check()
        self.settings = settings
        self.deskSettings = desk
        self.environment = environment
        self.now = now
        self.listening = listening
    }

    /// - Throws: `SmallServer.CannotListen`; what keeps a desk from being opened, such as a cluster that does not
    ///   answer; and what is wrong with certificate or key.
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
                // However it ends, the threads are to end too, after what they are doing.
                defer {
                    runner.close()
                    looking.close()
                    replaying.close()
                }
                try await self.serve(looking, replaying, runner, watch)
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

    private func serve(
        _ desk: DeskThread,
        _ replaying: DeskThread,
        _ runner: ReplayRunner,
        _ watch: IndexWatch
    ) async throws {
        let (index, mark): (LetterIndex, KeyedMark)
        do {
            (index, mark) = try await desk.perform { ($0.index, $0.mark) }
            // Nobody is let in before both are there.
            try await replaying.perform { _ in }
        } catch is DeskThread.Closed {
            // The thread's own error says why.
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
            mark: mark,
            now: self.now
        )
        let server = SmallServer(
            host: self.settings.host,
            port: self.settings.port,
            mostConnections: Self.mostConnections,
            longestHeader: Self.longestHeader,
            longestHeaders: 2 * Self.longestHeader
        )
        let tls = try self.settings.tls.map(Self.configuration)
        let refresher = IndexRefresher(desk: desk, watch: watch, settings: self.settings, now: self.now)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await refresher.run() }
            defer { group.cancelAll() }
            try await server.run(
                secured: { http in try tls.map { try .tls(http, tlsConfiguration: $0) } ?? http },
                listening: self.listening
            ) { request in
                await Self.response(to: request, from: pages)
            }
        }
    }

    private static func configuration(_ tls: PagesSettings.TLS) throws -> TLSConfiguration {
        let chain = try NIOSSLCertificate.fromPEMFile(tls.certificateFile)
        let key = try NIOSSLPrivateKey(file: tls.keyFile, format: .pem)
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) },
            privateKey: .privateKey(key)
        )
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = ["http/1.1"]
        return configuration
    }

    private static func response(to request: Request, from pages: Pages) async -> Response {
        var answer: PageAnswer
        do {
            answer = await pages.answer(try await Self.pageRequest(request))
        } catch let refusal as Refusal {
            answer = PageAnswer(refusal.status, "text/plain; charset=utf-8", refusal.sentence + "\n")
        } catch {
            // A body that is too long, or that broke off.
            answer = PageAnswer(.tooLarge, "text/plain; charset=utf-8", "That is too long.\n")
        }
        return answer.response(to: request)
    }

    private struct Refusal: Error {
        var status: PageAnswer.Status
        var sentence: String
    }

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
