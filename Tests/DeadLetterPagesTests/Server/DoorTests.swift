import DeadLetters
import Foundation
import Operations
import ServerTLS
import Testing
import WebPages
import WorkerTestSupport

@testable import DeadLetterPages

/// The pages let in only visitors who are allowed in, over real HTTP.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct DoorTests {
    @Test func answersOnlyToNamesOfItsOwn() async throws {
        try await Stage.run(letters: []) { stage in
            for host in [
                "evil.example", "evil.example:\(stage.port)", "127.0.0.1.evil.example", "localhost.evil", "",
                "[::1",
            ] {
                let answer = try await Visitor(port: stage.port, host: host).get("/")
                #expect([400, 421].contains(answer.status), "\(host)")
                #expect(!answer.body.contains("Dead letters"))
            }
            for host in ["127.0.0.1", "localhost:\(stage.port)", "LOCALHOST:9", "[::1]:8080"] {
                #expect(try await Visitor(port: stage.port, host: host).get("/").status == 200, "\(host)")
            }
            let none = try await PlainHTTP(port: stage.port).exchange(
                "GET / HTTP/1.1\r\nConnection: close\r\n\r\n"
            )
            #expect([400, 421].contains(none.status))
        }
    }

    @Test func letsNobodyInWithoutTheToken() async throws {
        let token = "a token that nobody guesses"
        try await Stage.run(letters: [], proxyToken: WatchedSecret(Secret(token))) { stage in
            let visitor = Visitor(port: stage.port)
            for claim in [
                "", "Bearer", "Bearer wrong", "Bearer \(token)x", "Basic !!!",
                "Basic " + Self.basic("ada:no"),
            ] {
                let answer = try await visitor.get("/", ["Authorization": claim])
                #expect(answer.status == 401, "\(claim)")
                #expect(answer.headers["www-authenticate"] != nil)
            }
            #expect(try await visitor.get("/style.css").status == 401)
            let nameless = try await visitor.get("/", ["Authorization": "Bearer \(token)"])
            #expect(nameless.status == 403)
            let named = try await visitor.get(
                "/",
                ["Authorization": "Bearer \(token)", "X-Forwarded-User": "grace"]
            )
            #expect(named.status == 200)
            #expect(named.body.contains("grace"))
            let basic = try await visitor.get("/", ["Authorization": "Basic " + Self.basic("alan:\(token)")])
            #expect(basic.status == 200)
            #expect(basic.body.contains("alan"))
        }
    }

    /// The help says that files of secrets are read when they change. The secrets of `serve` were read once.
    @Test func aTokenThatIsReplacedInItsFileCountsWithoutARestart() async throws {
        let folder = try TemporaryFolder()
        let (first, second) = ("a token that nobody guesses", "another one that nobody guesses")
        let file = try folder.write(Array(first.utf8), to: "token")
        let token = WatchedSecret(Secret(first), path: file.path)
        try await Stage.run(letters: [], proxyToken: token) { stage in
            let visitor = Visitor(port: stage.port)
            func status(_ token: String) async throws -> Int {
                let claim = ["Authorization": "Bearer \(token)", "X-Forwarded-User": "ada"]
                return try await visitor.get("/", claim).status
            }
            #expect(try await status(first) == 200)
            #expect(try await status(second) == 401)
            try Data("\(second)\n".utf8).write(to: file, options: .atomic)
            while try await status(second) != 200 {}
            #expect(try await status(first) == 401)
        }
        withExtendedLifetime(folder) {}
    }

    @Test func aSecretThatIsTooShortReplacesNone() throws {
        let old = Secret("0123456789abcdef")
        let settings = PagesSettings(
            proxyToken: WatchedSecret(old, path: "token"),
            localUser: "ada",
            webhook: Webhook(url: "https://x.example/", secret: WatchedSecret(old, path: "key"))
        )
        let files = settings.watchedFiles
        #expect(files.map(\.path) == ["token", "key"])
        for file in files {
            #expect(throws: (any Error).self) { try file.use(Secret("short")) }
        }
        #expect(settings.proxyToken?.current == old && settings.webhook?.secret.current == old)
        for file in files { try file.use(Secret("fedcba9876543210")) }
        #expect(settings.proxyToken?.current != old && settings.webhook?.secret.current != old)
        #expect(PagesSettings(localUser: "ada").watchedFiles.isEmpty)
    }

    /// The alert on certificates watched those of the gateway and the workers only.
    @Test func theEndOfTheCertificateIsAMetric() throws {
        let folder = try TemporaryFolder()
        let certificate = try Certificate(in: folder)
        let registry = PrometheusRegistry()
        let server = try PagesServer(
            PagesSettings(tls: certificate.settings, localUser: "ada"),
            desk: DeadLetterSettings(properties: [:], user: "ada", salt: Secret("salt")),
            environment: [:],
            now: { 0 },
            metrics: PagesMetrics(in: registry, health: Health(longestSilence: .seconds(1)), now: { 0 })
        )
        let line = registry.exposition().split(separator: "\n")
            .first { $0.hasPrefix("dead_letters_certificate_expires_timestamp_seconds ") }
        let expires = try #require(line?.split(separator: " ").last.flatMap { Double($0) })
        #expect(abs(expires - Date().timeIntervalSince1970 - 2 * 86_400) < 3_600)
        withExtendedLifetime((folder, server)) {}
    }

    private static func basic(_ text: String) -> String { Data(text.utf8).base64EncodedString() }

    /// With operators in the settings, everybody else looks, and changes and unmasks nothing.
    @Test func whoIsNoOperatorOnlyLooks() async throws {
        let token = "a token that nobody guesses"
        try await Stage.run(
            letters: [Letters.letter(offset: 0)],
            proxyToken: WatchedSecret(Secret(token)),
            operators: ["ada"],
            operatorGroups: ["sre"]
        ) { stage in
            func headers(_ user: String, _ groups: String? = nil) -> [String: String] {
                var headers = ["Authorization": "Bearer \(token)", "X-Forwarded-User": user]
                headers["X-Forwarded-Groups"] = groups
                return headers
            }
            let readers = [
                headers("eve"), headers("eve", "dev,sre2"), headers("sre"), headers("eve", "ada, SRE"),
            ]
            let operators = [headers("ada"), headers("eve", "sre"), headers("eve", "dev, sre ,ops")]
            var list = ""
            while !list.contains("1 open dead letter") {
                list = try await Visitor(port: stage.port).get("/", headers("ada")).body
            }
            let letters = try await Visitor(port: stage.port).get("/letters", headers("ada")).body
            let id = try #require(letters.firstMatch(of: /\/letters\/(dl-[0-9a-f]{32})/)).output.1
            let changes = [
                "/replays", "/discards", "/restores", "/mend", "/letters/\(id)/reveal", "/letters/\(id)/edit",
                "/replays/r-0123456789/stop", "/groups/g-0123456789/note", "/groups/g-0123456789/assign",
            ]
            let pages = [
                "/mend?state=open", "/discard?state=open", "/restore?state=discarded", "/letters/\(id)/edit",
            ]
            for (user, mayAct) in readers.map({ ($0, false) }) + operators.map({ ($0, true) }) {
                let visitor = try await Visitor(port: stage.port).signedIn(on: "/letters/\(id)", user)
                #expect((visitor.token != nil) == mayAct, "only an operator's page has a form")
                for path in changes {
                    let answer = try await visitor.post(path, [("because", "a good reason")], user)
                    #expect((answer.status == 403) == !mayAct, "\(path) \(user)")
                    #expect(answer.body.contains("You may look") == !mayAct, "\(path) \(user)")
                }
                for path in pages {
                    #expect((try await visitor.get(path, user).status == 403) == !mayAct, "\(path) \(user)")
                }
                let plan = try await visitor.get("/plan?state=open", user)
                #expect(plan.status == 200 && plan.body.contains("name=\"confirmed\"") == mayAct)
            }
        }
    }

    @Test func everyAnswerForbidsWhatNoPageOfOursDoes() async throws {
        try await Stage.run(letters: []) { stage in
            for path in ["/", "/nothing-there", "/style.css", "/letters/dl-0", "/plan"] {
                let headers = try await Visitor(port: stage.port).get(path).headers
                let policy = headers["content-security-policy"] ?? ""
                #expect(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"))
                #expect(!policy.contains("unsafe"))
                #expect(headers["x-frame-options"] == "DENY")
                #expect(headers["x-content-type-options"] == "nosniff")
                #expect(headers["cache-control"] == "no-store")
                #expect(headers["referrer-policy"] == "same-origin")
            }
            let refused = try await Visitor(port: stage.port, host: "evil.example").get("/")
            #expect(refused.headers["content-security-policy"] != nil)
            let cookie = try await Visitor(port: stage.port).get("/").headers["set-cookie"] ?? ""
            #expect(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"))
        }
    }

    @Test func takesNoBodyThatIsTooLongAndNoOtherThanAForm() async throws {
        try await Stage.run(letters: []) { stage in
            let visitor = try await Visitor(port: stage.port).signedIn(on: "/plan?state=open")
            let long = String(repeating: "x", count: 100_000)
            #expect(try await visitor.post("/replays", [("because", long)]).status == 413)
            #expect(try await visitor.post("/replays", [], ["Content-Type": "text/plain"]).status == 400)
            #expect(try await visitor.get("/?reason=" + String(repeating: "x", count: 20_000)).status != 200)
            let header = try await visitor.get("/", ["X-Long": String(repeating: "x", count: 40_000)])
            #expect(header.status != 200)
            #expect(try await visitor.get("/").status == 200)
        }
    }

    @Test func servesOverTLSWithACertificateOfItsOwn() async throws {
        let folder = try TemporaryFolder()
        let certificate = try Certificate(in: folder)
        try await Stage.run(letters: [], tls: certificate.settings) { stage in
            let page = try certificate.fetch("https://localhost:\(stage.port)/")
            #expect(page.contains("Dead letters"))
            #expect(page.lowercased().contains("set-cookie: dead-letters-session"))
            #expect(page.contains("Secure"))
            // Plain HTTP gets no page there.
            let plain = try await Visitor(port: stage.port).get("/")
            #expect(plain.status != 200)
        }
        withExtendedLifetime(folder) {}
    }

    @Test(arguments: ["0.0.0.0", "192.0.2.7", "example.org", "localhost", "::", "127.0.0.1.example.org", ""])
    func refusesToBeReachedFromElsewhereWithoutTLSOrAToken(host: String) throws {
        let open = PagesSettings(host: host, names: ["letters.example.org"], localUser: "ada")
        #expect(throws: PagesSettings.Unsafe.self) { try open.check() }
        var safe = open
        safe.tls = PagesSettings.TLS(certificateFile: "c", keyFile: "k")
        try safe.check()
        safe = open
        safe.proxyToken = WatchedSecret(Secret("0123456789abcdef"))
        try safe.check()
        safe.proxyToken = WatchedSecret(Secret("short"))
        #expect(throws: PagesSettings.Unsafe.self) { try safe.check() }
    }

    @Test(arguments: ["127.0.0.1", "127.8.9.10", "::1"])
    func loopbackNeedsNothing(host: String) throws { try PagesSettings(host: host, localUser: "ada").check() }

    @Test func beyondLoopbackItHasToBeToldItsName() {
        var settings = PagesSettings(
            host: "0.0.0.0",
            proxyToken: WatchedSecret(Secret("0123456789abcdef")),
            localUser: "ada"
        )
        #expect(throws: PagesSettings.Unsafe.self) { try settings.check() }
        settings.names = ["Letters.example.org"]
        #expect(settings.servedHost.servedNames == ["letters.example.org"])
    }
}
