import Foundation
import Records
import Testing
import WireFormats
import WorkerTestSupport

/// Each route publishes what it was given, before it says that it has.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct RouteTests {
    @Test func anUploadIsOnItsTopicBeforeItsAnswer() async throws {
        try await Stage.run { stage async throws in
            let answer = try await stage.post(
                Stage.upload,
                "bytes \u{0} of a phone",
                headers: [
                    "Content-Type": "application/protobuf", "X-Compress-Codec": "3", "x-crypt-codec": "1",
                    "Cookie": "secret", "Authorization": "secret",
                ]
            )
            #expect(answer.status == 200)
            let record = try #require(try await stage.records(on: "sdk-upload").first)
            #expect(record.key == nil && record.text == "bytes \u{0} of a phone")
            let request = try #require(SDKUploadRequest(of: record))
            #expect(request.target == Stage.upload && request.method == "POST")
            #expect(request.compressCodec == "3" && request.cryptCodec == "1")
            #expect(request.contentType == "application/protobuf" && request.clientIP == "127.0.0.1")
            #expect(record.headers.count == 6, "only headers that the codec needs go on")
        }
    }

    @Test(arguments: [
        ("GET", Stage.upload, 405), ("POST", "/v3/projects//collect", 404), ("POST", "/v3/projects/a/b", 404),
        ("POST", "/clicks/gdt?muid=1", 405), ("GET", "/push-arrivals", 405), ("GET", "/", 404),
        ("POST", "//push-arrivals", 404), ("GET", "/metrics", 404),
    ])
    func nothingElseIsTaken(method: String, path: String, status: Int) async throws {
        try await Stage.run { stage async throws in
            let answer = try await stage.http.request(method, path, headers: ["Host": "a"])
            #expect(answer.status == status)
            for topic in Stage.topics { #expect(try await stage.records(on: topic).isEmpty) }
        }
    }

    @Test(arguments: [
        #"{"type":"arrived","deviceId":"d1"}"#, #" [ {"type":"arrived","deviceId":"d1"} ] "#,
        "\n{\"type\":\"arrived\",\"deviceId\":\"d1\"}\r\n",
    ])
    func aReportIsKeyedByItsDevice(body: String) async throws {
        try await Stage.run { stage async throws in
            #expect(try await stage.post("/push-arrivals", body).status == 200)
            let records = try await stage.records(on: "push-arrival")
            #expect(records.map(\.text) == [#"{"type":"arrived","deviceId":"d1"}"#])
            #expect(records.map(\.keyText) == ["d1"])
            #expect(records.map { $0.text("content-type") } == ["application/json"])
            #expect(throws: Never.self) { try PushEvent(decoding: records[0], now: 1_763_962_605_200) }
        }
    }

    @Test func severalReportsAreAnsweredTogether() async throws {
        try await Stage.run { stage async throws in
            let reports = (0..<50).map { #"{"type":"shown","device_id":"d\#($0)"}"# }
            let (list, lines) = ("[" + reports.joined(separator: ",") + "]", reports.joined(separator: "\n"))
            #expect(
                try await stage.post("/push-arrivals", list).status == 200
            )
            #expect(try await stage.post("/push-arrivals", lines).status == 200)
            let records = try await stage.records(on: "push-arrival")
            #expect(records.map(\.text).sorted() == (reports + reports).sorted())
        }
    }

    /// A device that stated our own time could make an event late, or never late.
    @Test func aDeviceCannotStateTheTimeOfTheServer() async throws {
        try await Stage.run { stage async throws in
            let report = #"{"serverMs":1,"type":"opened","deviceId":"d","server_ms":"2","s\u0065rverMs":3}"#
            #expect(try await stage.post("/push-arrivals", report).status == 200)
            let records = try await stage.records(on: "push-arrival")
            let value =
                #"{"serverMs":null,"type":"opened","deviceId":"d","server_ms":null,"s\u0065rverMs":null}"#
            #expect(records.map(\.text) == [value])
        }
    }

    /// One bad report spoils the whole request, so a client never has to find out which were taken.
    @Test(arguments: [
        "", "{}", "[]", "7", "nothing", #"[{"type":"arrived"},7]"#, #"{"type":"sent","deviceId":"d"}"#,
        #"{"type":"arrived"}{"type":"arrived"}"#, "{\"type\":\"arrived\"}\n{",
        #"{"type":"sent","type":"arrived"}"#,
        #"{"t\u0079pe":"sent","type":"arrived"}"#, #"{"type":"hacked"}"#,
        #"[{"type":"arrived"},{"type":"sent"}]"#,
    ])
    func aBodyThatIsNoReportIsRefused(body: String) async throws {
        try await Stage.run { stage async throws in
            #expect(try await stage.post("/push-arrivals", body).status == 400)
            #expect(try await stage.records(on: "push-arrival").isEmpty)
        }
    }

    @Test func aClickIsAcknowledgedAsTencentWantsIt() async throws {
        try await Stage.run { stage async throws in
            let query = "muid=40c7084b&click_time=1763962605&click_id=c%2F1&callback=http%3A%2F%2Fa%2Bb"
            let answer = try await stage.get("/clicks/gdt?" + query)
            #expect(answer.status == 200 && answer.body == #"{"ret":0,"msg":"ok"}"#)
            #expect(answer.headers["content-type"] == "application/json; charset=utf-8")
            #expect(try await stage.get("/clicks/gdt?muid=__MUID__&click_id=c%2F1").status == 200)
            let records = try await stage.records(on: "activation-click")
            #expect(Set(records.map(\.text)) == [query, "muid=__MUID__&click_id=c%2F1"])
            #expect(Set(records.map(\.keyText)) == ["40c7084b", "c/1"])
            #expect(records.allSatisfy { $0.text("click.client_ip") == "127.0.0.1" })
            for bad in ["", "?", "?muid=&click_id=__CLICK_ID__", "?other=1"] {
                let answer = try await stage.get("/clicks/gdt\(bad)")
                #expect(answer.status == 400 && answer.body.hasPrefix(#"{"ret":400,"#))
            }
        }
    }

    /// The platform writes the macros' names in capitals, and such a click was once refused.
    @Test func everyExampleOfAClickIsTakenUnderTheKeyThatItsReaderFinds() async throws {
        let folder = Documents.root.appending(path: "Schemas/examples/activation-click")
        let queries = try FileManager.default.contentsOfDirectory(atPath: folder.path()).map {
            try String(contentsOf: folder.appending(path: $0), encoding: .utf8)
        }
        #expect(queries.count >= 5)
        try await Stage.run { stage async throws in
            for query in queries {
                #expect(try await stage.get("/clicks/gdt?" + query).status == 200, "\(query)")
            }
            let records = try await stage.records(on: "activation-click")
            #expect(Set(records.map(\.text)) == Set(queries))
            for record in records {
                let click = try AdClick(query: record.value ?? [])
                #expect(record.keyText == (click.muid ?? click.clickID))
            }
        }
    }

    @Test func namesAndPathsOfClicksAreTheAdvertisers() async throws {
        let settings = [
            "clicks_path: /a-path-that-nobody-guesses", "click_keys: [Device]", "routes: [clicks]",
        ]
        try await Stage.run(gateway: settings) { stage async throws in
            #expect(try await stage.get("/clicks/gdt?device=1").status == 404)
            #expect(try await stage.post(Stage.upload, "").status == 404)
            #expect(try await stage.get("/a-path-that-nobody-guesses?x=2&device=1").status == 200)
            #expect(try await stage.records(on: "activation-click").map(\.keyText) == ["1"])
        }
    }

    @Test(arguments: [
        (["127.0.0.0/8"], "203.0.113.9", "203.0.113.9"), ([], "203.0.113.9", "127.0.0.1"),
        (["10.0.0.0/8"], "203.0.113.9", "127.0.0.1"),
        (["127.0.0.1", "10.0.0.0/8"], "6.6.6.6, 203.0.113.9, 10.1.2.3", "203.0.113.9"),
        (["127.0.0.1"], "203.0.113.9, nonsense", "127.0.0.1"),
        (["127.0.0.1"], "2001:db8::1", "2001:db8:0:0:0:0:0:1"),
        (["127.0.0.1"], "::ffff:203.0.113.9", "203.0.113.9"),
    ])
    func onlyTrustedProxiesAreBelieved(trusted: [String], forwarded: String, client: String) async throws {
        try await Stage.run(gateway: [
            "trusted_proxies: [\(trusted.map { "'\($0)'" }.joined(separator: ","))]"
        ]) { stage async throws in
            let answer = try await stage.post(Stage.upload, "x", headers: ["X-Forwarded-For": forwarded])
            #expect(answer.status == 200)
            let records = try await stage.records(on: "sdk-upload")
            #expect(records.map { $0.text("upload.client_ip") } == [client])
        }
    }

    @Test func oneConnectionCarriesManyRequests() async throws {
        try await Stage.run { stage async throws in
            let request = "POST \(Stage.upload) HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx"
            let last = request.replacing("Host: a", with: "Host: a\r\nConnection: close")
            let connection = try stage.http.connection(sending: request + request + last)
            await connection.closedByServer()
            #expect(try await stage.records(on: "sdk-upload").count == 3)
        }
    }
}
