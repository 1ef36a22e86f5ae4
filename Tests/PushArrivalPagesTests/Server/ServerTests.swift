import Foundation
import Logging
import Operations
import PushArrivalPages
import ServiceLifecycle
import Testing
import WebPages
import WireMessages
import WorkerTestSupport

/// The pages let in only visitors who are allowed in, and answer each of them, over real HTTP.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct ServerTests {
    @Test func answersOnlyToNamesOfItsOwn() async throws {
        try await Stage.run { stage in
            for host in ["evil.example", "evil.example:\(stage.port)", "127.0.0.1.evil.example", "", "[::1"] {
                let answer = try await stage.get("/", ["Host": host])
                #expect([400, 421].contains(answer.status), "\(host)")
                #expect(!answer.body.contains("Push arrivals"))
            }
            for host in ["127.0.0.1", "localhost:\(stage.port)", "LOCALHOST:9", "[::1]:8080"] {
                #expect(try await stage.get("/", ["Host": host]).status == 200, "\(host)")
            }
        }
    }

    @Test func letsNobodyInWithoutTheToken() async throws {
        let token = "a token that nobody guesses"
        try await Stage.run(DashboardSettings(port: 0, token: Secret(token))) { stage in
            for claim in [
                "", "Bearer", "Bearer wrong", "Bearer \(token)x", "Basic !!!", Self.basic("ada:no"),
            ] {
                for path in ["/", "/message?id=m", "/assets/style.css", "/nowhere"] {
                    let answer = try await stage.get(path, ["Authorization": claim])
                    #expect(answer.status == 401, "\(claim) \(path)")
                    #expect(answer.headers["www-authenticate"]?.hasPrefix("Basic") == true)
                }
            }
            #expect(try await stage.get("/", ["Authorization": "Bearer \(token)"]).status == 200)
            #expect(try await stage.get("/", ["Authorization": Self.basic("ada:\(token)")]).status == 200)
        }
    }

    private static func basic(_ text: String) -> String { "Basic " + Data(text.utf8).base64EncodedString() }

    @Test func everyAnswerForbidsWhatNoPageOfOursDoes() async throws {
        try await Stage.run { stage in
            for (path, status) in [
                ("/", 200), ("/nothing-there", 404), ("/message?id=nobody", 404), ("/assets/style.css", 200),
                ("/assets/script.js", 200), ("/assets/icon.svg", 200), ("/assets/../../etc/passwd", 404),
            ] {
                let answer = try await stage.get(path)
                #expect(answer.status == status, "\(path)")
                let policy = answer.headers["content-security-policy"] ?? ""
                #expect(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"))
                #expect(!policy.contains("unsafe"))
                #expect(answer.headers["x-content-type-options"] == "nosniff")
                #expect(answer.headers["cache-control"] == "no-store")
                #expect(answer.headers["set-cookie"] == nil)
            }
        }
    }

    @Test func isOnlyToLookAt() async throws {
        try await Stage.run { stage in
            let http = PlainHTTP(port: stage.port)
            let headers = ["Host": "localhost"]
            for method in ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"] {
                let answer = try await http.request(method, "/", headers: headers, body: "id=1")
                #expect(answer.status == 405, "\(method)")
                #expect(answer.headers["allow"] == "GET, HEAD")
            }
            let head = try await http.request("HEAD", "/", headers: headers)
            #expect(head.status == 200 && head.body.isEmpty)
        }
    }

    @Test func takesNothingEndless() async throws {
        try await Stage.run { stage in
            #expect(try await stage.get("/?text=" + String(repeating: "x", count: 11_000)).status == 413)
            #expect(try await stage.get("/?text=" + String(repeating: "x", count: 100_000)).status != 200)
            #expect(try await stage.get("/", ["X-Long": String(repeating: "x", count: 40_000)]).status != 200)
            let body = String(repeating: "x", count: 1_000_000)
            let posted = try await PlainHTTP(port: stage.port)
                .request("POST", "/", headers: ["Host": "localhost"], body: body)
            #expect(posted.status != 200)
            #expect(try await stage.get("/").status == 200)
        }
    }

    @Test(arguments: Samples.hostile)
    func everyListedMessageHasAPage(text: String) async throws {
        try await Stage.run { stage in
            var message = Samples.message(text)
            message.appBundle = text.count < 100 ? text : "app"
            stage.board.take(try Samples.statistics(message))
            let list = try await stage.get("/").body
            guard let start = list.firstRange(of: "href=\"/message")?.lowerBound else {
                #expect(text.count > 1_000)
                return
            }
            let address = list[start...].dropFirst(6).prefix { $0 != "\"" }.replacing("&amp;", with: "&")
            let page = try await stage.get(String(address))
            #expect(page.status == 200 && page.body.contains("From the sender to the person"))
        }
    }

    @Test func aTakenAddressLeavesTheWorkerAlone() async throws {
        try await Stage.run { stage in
            let (complaints, complaint) = AsyncStream<String>.makeStream()
            let log = StreamedLog(complaint)
            let second = DashboardServer(
                DashboardSettings(port: stage.port),
                topic: Samples.topic,
                board: stage.board,
                standing: stage.standing,
                logger: Logger(label: "test", factory: { _ in log }),
                now: { Samples.now }
            )
            let services = ServiceGroup(
                services: [second],
                logger: Logger(label: "group", factory: { _ in SwiftLogNoOpLogHandler() })
            )
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await services.run() }
                for await words in complaints {
                    #expect(words.contains("there is no dashboard") && words.contains("already in use"))
                    break
                }
                await services.triggerGracefulShutdown()
                // It ends because it was told to, and without an error.
                try await group.waitForAll()
            }
            #expect(try await stage.get("/").status == 200)
        }
    }
}
