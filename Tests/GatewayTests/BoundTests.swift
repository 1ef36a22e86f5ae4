import EmbeddedBroker
import Foundation
import Operations
import Testing
import WorkerTestSupport

@testable import Gateway

/// Everything that comes in has a bound, and nobody is told that a record was taken when it was not.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct BoundTests {
    @Test func aBodyHasALargestSize() async throws {
        try await Stage.run(gateway: ["body_limit: 1024"]) { stage async throws in
            let limit = String(repeating: "x", count: 1_024)
            #expect(try await stage.post(Stage.upload, limit).status == 200)
            let announced = try await stage.post(Stage.upload, limit + "x")
            #expect(announced.status == 413 && announced.headers["connection"] == "close")
            let chunks = String(repeating: "400\r\n\(limit)\r\n", count: 3) + "0\r\n\r\n"
            let chunked = try await stage.http.exchange(
                "POST \(Stage.upload) HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks
            )
            #expect(chunked.status == 413)
            #expect(try await stage.records(on: "sdk-upload").count == 1)
        }
    }

    @Test func reportsHaveALargestNumber() async throws {
        try await Stage.run(gateway: ["reports_limit: 2"]) { stage async throws in
            let report = #"{"type":"arrived","deviceId":"d"}"#
            let (two, three) = ("\(report)\n\(report)", "[\(report),\(report),\(report)]")
            #expect(try await stage.post("/push-arrivals", two).status == 200)
            #expect(try await stage.post("/push-arrivals", three).status == 413)
            #expect(try await stage.records(on: "push-arrival").count == 2)
        }
    }

    @Test func headersHaveALargestSize() async throws {
        try await Stage.run { stage async throws in
            let long = String(repeating: "x", count: 10_000)
            #expect(try await stage.get("/clicks/gdt?muid=1", headers: ["X": long]).status == 431)
            #expect(try await stage.get("/clicks/gdt?muid=" + long).status == 431)
            let many = Dictionary(uniqueKeysWithValues: (0..<100).map { ("X-\($0)", "x") })
            #expect(try await stage.get("/clicks/gdt?muid=1", headers: many).status == 431)
            #expect(try await stage.get("/clicks/gdt?muid=1").status == 200)
        }
    }

    @Test func aClientHasARate() async throws {
        let settings = ["client_rate: 1", "trusted_proxies: ['127.0.0.1']"]
        try await Stage.run(gateway: settings) { stage async throws in
            let one = ["X-Forwarded-For": "203.0.113.1"]
            #expect(try await stage.post(Stage.upload, "x", headers: one).status == 200)
            let refused = try await stage.post(Stage.upload, "x", headers: one)
            #expect(refused.status == 429 && refused.headers["retry-after"] == "1")
            let other = ["X-Forwarded-For": "203.0.113.2"]
            #expect(try await stage.post(Stage.upload, "x", headers: other).status == 200)
            // The platform has few addresses, so clicks have another rate.
            for _ in 0..<3 { #expect(try await stage.get("/clicks/gdt?muid=1", headers: one).status == 200) }
            #expect(try await stage.records(on: "sdk-upload").count == 2)
        }
    }

    @Test func eachRouteHasARate() async throws {
        try await Stage.run(gateway: ["rate: 1"]) { stage async throws in
            #expect(try await stage.get("/clicks/gdt?muid=1").status == 200)
            let refused = try await stage.get("/clicks/gdt?muid=1")
            #expect(refused.status == 429 && refused.headers["retry-after"] == "1")
            #expect(refused.body.hasPrefix(#"{"ret":429,"#))
            #expect(
                try await stage.post(Stage.upload, "x").status == 200,
                "one route takes nothing of another"
            )
        }
    }

    /// One host that sent clicks without parameters once had the ad platform's clicks refused.
    @Test func aClickWithoutAnIDTakesNothingOfTheRateOfClicks() async throws {
        try await Stage.run(gateway: ["rate: 1", "trusted_proxies: ['127.0.0.1']"]) { stage async throws in
            for number in 1...3 {
                let client = ["X-Forwarded-For": "203.0.113.\(number)"]
                #expect(try await stage.get("/clicks/gdt", headers: client).status == 400)
            }
            let platform = ["X-Forwarded-For": "198.51.100.7"]
            #expect(try await stage.get("/clicks/gdt?muid=1", headers: platform).status == 200)
        }
    }

    /// Bodies that are in hand for a long time use up the bytes; a request beyond them is told to come again.
    @Test func bytesInHandHaveABound() async throws {
        let settings = [
            "bytes_in_hand: 1MiB", "body_limit: 600000", "trusted_proxies: ['127.0.0.1']",
            "routes: [uploads]",
        ]
        try await Stage.run(gateway: settings) { stage async throws in
            let head = "POST \(Stage.upload) HTTP/1.1\r\nHost: a\r\nContent-Length: 600000\r\n\r\n"
            let body = String(repeating: "x", count: 599_999)
            let slow = try stage.http.connection(sending: head)
            slow.send(body)
            try await stage.waits { stage.limits.bytesInHand == body.utf8.count }
            let other = ["X-Forwarded-For": "198.51.100.7"]
            #expect(try await stage.post(Stage.upload, "small", headers: other).status == 200)
            // A body that comes in takes the place of one that does not.
            #expect(try await stage.post(Stage.upload, body, headers: other).status == 200)
            #expect(await slow.status() == 503)
            try await stage.waits { stage.limits.bytesInHand == 0 }
            #expect(stage.closes("bytes_in_hand") == 1)
        }
    }

    /// A body that has come whole waits for the cluster, and nobody takes its place.
    @Test func bytesOfACompleteBodyAreInHandUntilTheReport() async throws {
        let settings = [
            "bytes_in_hand: 1MiB", "body_limit: 600000", "trusted_proxies: ['127.0.0.1']",
            "routes: [uploads]",
        ]
        try await Stage.run(gateway: settings, kafka: ["delivery_time: 300s"]) { stage async throws in
            try await stage.refusesAllRecords()
            let body = String(repeating: "x", count: 600_000)
            let head = "POST \(Stage.upload) HTTP/1.1\r\nHost: a\r\nContent-Length: 600000\r\n\r\n"
            let first = try stage.http.connection(sending: head)
            first.send(body)
            try await stage.waits { stage.limits.recordsInHand(on: .uploads) == 1 }
            let other = ["X-Forwarded-For": "198.51.100.7"]
            #expect(try await stage.post(Stage.upload, body, headers: other).status == 503)
            try await stage.broker.setFaults(BrokerFaults())
            #expect(await first.status() == 200)
        }
    }

    /// NIO reads no request behind one that asks for another protocol, and kept all bytes that came: 400 MB in two seconds.
    @Test(arguments: [
        "GET /nothing HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n",
        "CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n",
        "POST \(Stage.upload) HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n"
            + "Content-Length: 1\r\n\r\nx",
    ])
    func aRequestThatAsksForAnotherProtocolIsTheLast(text: String) async throws {
        try await Stage.run { stage async throws in
            let answer = try await stage.http.exchange(text)
            #expect(answer.status == (text.hasPrefix("POST") ? 200 : 404))
            #expect(answer.headers["connection"] == "close")
            let connection = try stage.http.connection(sending: text)
            let more = String(repeating: "x", count: 1 << 20)
            var sent = 0
            while connection.sends(more), sent < 1_000 { sent += 1 }
            #expect(sent < 1_000)
        }
    }

    /// Java's client asks for HTTP/2 at first, and goes on with HTTP/1.1 if it is not there.
    @Test func answersBeforeARequestForAnotherProtocolGoOut() async throws {
        try await Stage.run { stage async throws in
            let click = "GET /clicks/gdt?muid=1 HTTP/1.1\r\nHost: a\r\n"
            let upgrade = click + "Connection: Upgrade\r\nUpgrade: h2c\r\n\r\n"
            let connection = try stage.http.connection(sending: click + "\r\n" + upgrade)
            let text = String(decoding: await connection.untilClosed(), as: UTF8.self)
            #expect(text.components(separatedBy: "HTTP/1.1 200").count == 3)
            #expect(text.components(separatedBy: "Connection: close").count == 2)
        }
    }

    /// Answers that were ready at once were written one inside the other, until the stack of the thread was full.
    @Test func aClientThatDoesNotWaitForItsAnswersGetsFew() async throws {
        try await Stage.run { stage async throws in
            let click = "GET /clicks/gdt?muid=1 HTTP/1.1\r\nHost: a\r\n\r\n"
            let connection = try stage.http.connection(sending: String(repeating: click, count: 1_000))
            let text = String(decoding: await connection.untilClosed(), as: UTF8.self)
            let answers = text.components(separatedBy: "HTTP/1.1 200").count - 1
            #expect(answers >= 32 && answers < 100)
            #expect(text.components(separatedBy: "Connection: close").count == 2)
            #expect(try await stage.records(on: "activation-click").count == answers)
        }
    }

    /// The fields behind a body in chunks count as a header, and the request was once left without an answer.
    @Test func fieldsBehindABodyHaveABound() async throws {
        try await Stage.run { stage async throws in
            let head = "POST \(Stage.upload) HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
            let fields = (0..<100).map { "X-\($0): x\r\n" }.joined()
            let answer = try await stage.http.exchange(head + "1\r\nx\r\n0\r\n" + fields + "\r\n")
            #expect(answer.status == 400 && answer.headers["connection"] == "close")
            try await stage.waits { stage.limits.bytesInHand == 0 }
        }
    }

    /// A number that no integer of ours holds once switched the time of the body off.
    @Test(arguments: ["9223372036854775808", "18446744073709551615", "2000000"])
    func aBodyThatNobodyCouldSendIsTooLarge(length: String) async throws {
        try await Stage.run(gateway: ["body_limit: 1000000"]) { stage async throws in
            let head = "POST \(Stage.upload) HTTP/1.1\r\nHost: a\r\nContent-Length: \(length)\r\n\r\n"
            #expect(try await stage.http.exchange(head).status == 413)
            #expect(stage.limits.bytesInHand == 0)
        }
    }

    /// Requests that come to nothing once cost the server more than their sender.
    @Test func aConnectionEndsAfterManyRefusalsInARow() async throws {
        try await Stage.run { stage async throws in
            let request = "GET /nothing HTTP/1.1\r\nHost: a\r\n\r\n"
            let connection = try stage.http.connection(sending: String(repeating: request, count: 1_000))
            let text = String(decoding: await connection.untilClosed(), as: UTF8.self)
            #expect(text.components(separatedBy: "HTTP/1.1 404").count == 17)
        }
    }

    @Test func requestsOnNoRouteCountAgainstTheRateOfTheirClient() async throws {
        try await Stage.run(gateway: ["client_rate: 2"]) { stage async throws in
            #expect(try await stage.get("/nothing").status == 404)
            #expect(try await stage.get(Stage.upload).status == 405)
            #expect(try await stage.get("/nothing").status == 429)
        }
    }

    /// The time of the header went on, and could close the connection before its client had read the answer.
    @Test func aHeaderThatIsRefusedHasCome() async throws {
        try await Stage.run(gateway: ["header_time: 900ms"]) { stage async throws in
            let long = "GET / HTTP/1.1\r\nX: \(String(repeating: "x", count: 10_000))\r\n\r\n"
            let connection = try stage.http.connection(sending: long)
            #expect(await connection.status() == 431)
            await connection.closedByServer()
            #expect(stage.closes("header_size") == 1 && stage.closes("header_time") == 0)
        }
    }

    /// The answer to a good upload was once lost to the header behind it.
    @Test func aHeaderBeyondTheLimitsIsAnsweredBehindTheRequestBeforeIt() async throws {
        try await Stage.run { stage async throws in
            let click = "GET /clicks/gdt?muid=1 HTTP/1.1\r\nHost: a\r\n\r\n"
            let long = "GET / HTTP/1.1\r\nX: \(String(repeating: "x", count: 10_000))\r\n\r\n"
            let connection = try stage.http.connection(sending: click + long)
            let text = String(decoding: await connection.untilClosed(), as: UTF8.self)
            #expect(text.hasPrefix("HTTP/1.1 200") && text.contains("HTTP/1.1 431"))
            #expect(stage.closes("header_size") == 1)
        }
    }

    @Test func aBodyThatIsNoHTTPIsRefused() async throws {
        try await Stage.run { stage async throws in
            let head = "POST \(Stage.upload) HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
            #expect(try await stage.http.exchange(head + "no chunk\r\n").status == 400)
            #expect(
                try await stage.http.exchange("GET /clicks/gdt?muid=1&c=\u{5e7f} HTTP/1.1\r\n\r\n").status
                    == 400
            )
            let text = stage.registry.exposition()
            #expect(text.contains(#"gateway_requests_total{route="none",status="400"} 1"#))
        }
    }

    /// Without a share of its own, a client that sends many bodies slowly would close the gateway for all others.
    @Test func oneClientCanHaveAQuarterOfTheBytesInHand() async throws {
        let settings = ["bytes_in_hand: 2MiB", "body_limit: 200000", "trusted_proxies: ['127.0.0.1']"]
        try await Stage.run(gateway: settings) { stage async throws in
            let head = "POST \(Stage.upload) HTTP/1.1\r\nHost: a\r\nContent-Length: 200000\r\n\r\n"
            let body = String(repeating: "x", count: 199_999)
            var slow: [PlainConnection] = []
            for count in 1...2 {
                slow.append(try stage.http.connection(sending: head))
                slow[count - 1].send(body)
                try await stage.waits { stage.limits.bytesInHand == count * body.utf8.count }
            }
            let refused = try await stage.post(Stage.upload, body)
            #expect(refused.status == 429 && refused.headers["retry-after"] == "1")
            #expect(try await stage.post(Stage.upload, "small").status == 200)
            let other = ["X-Forwarded-For": "198.51.100.7"]
            #expect(try await stage.post(Stage.upload, body, headers: other).status == 200)
            for connection in slow {
                connection.send("x")
                #expect(await connection.status() == 200)
            }
            try await stage.waits { stage.limits.bytesInHand == 0 }
            #expect(try await stage.post(Stage.upload, body).status == 200)
        }
    }

    /// While the cluster takes nothing, reports of one client once took the place of everybody's records.
    @Test func oneClientsReportsLeaveRoomForOthers() async throws {
        try await Stage.run(gateway: ["reports_limit: 10000"], kafka: ["delivery_time: 300s"]) {
            stage async throws in
            try await stage.refusesAllRecords()
            let body = String(repeating: #"{"type":"opened","deviceId":"d"}"# + "\n", count: 7_000)
            let first = try stage.http.connection(
                sending:
                    "POST /push-arrivals HTTP/1.1\r\nHost: a\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
                    + body
            )
            try await stage.waits { stage.limits.recordsInHand(on: .pushArrivals) == 7_000 }
            #expect(try await stage.post("/push-arrivals", body).status == 429)
            let click = try stage.http.connection(
                sending: "GET /clicks/gdt?muid=1 HTTP/1.1\r\nHost: a\r\n\r\n"
            )
            try await stage.waits { stage.limits.recordsInHand(on: .clicks) == 1 }
            try await stage.broker.setFaults(BrokerFaults())
            for connection in [first, click] { #expect(await connection.status() == 200) }
            #expect(try await stage.records(on: "push-arrival").count == 7_000)
            #expect(try await stage.records(on: "activation-click").count == 1)
            try await stage.waits { stage.limits.recordsInHand(on: .pushArrivals) == 0 }
        }
    }

    /// A body is in memory until the cluster's report, also when its client has gone.
    @Test func bytesOfAClientThatHasGoneAreInHandUntilTheReport() async throws {
        try await Stage.run(gateway: ["connections: 1"], kafka: ["delivery_time: 300s"]) {
            stage async throws in
            try await stage.refusesAllRecords()
            let gone = try stage.http.connection(
                sending: "POST \(Stage.upload) HTTP/1.1\r\nHost: a\r\nContent-Length: 7\r\n\r\nin hand"
            )
            try await stage.waits { stage.limits.recordsInHand(on: .uploads) == 1 }
            // There is one place, and the next connection takes it.
            #expect(try await stage.get("/none").status == 404)
            await gone.closedByServer()
            #expect(try await stage.get("/none").status == 404)
            #expect(stage.limits.bytesInHand == 7)
            try await stage.broker.setFaults(BrokerFaults())
            try await stage.waits { stage.limits.bytesInHand == 0 }
            #expect(try await stage.records(on: "sdk-upload").map(\.text) == ["in hand"])
        }
    }

    @Test func aBodyHasToComeInTime() async throws {
        try await Stage.run(gateway: ["body_time: 50ms"]) { stage async throws in
            let slow = try stage.http.connection(
                sending: "POST \(Stage.upload) HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nab"
            )
            await slow.closedByServer()
            #expect(try await stage.post(Stage.upload, "x").status == 200)
            #expect(try await stage.records(on: "sdk-upload").map(\.text) == ["x"])
        }
    }

    /// A client may send its next request before it has the answer to the last one.
    @Test func requestsOfOneConnectionAreAnsweredInTurn() async throws {
        try await Stage.run { stage async throws in
            let requests = (0..<20).map { number in
                let body = String(repeating: "x", count: number)
                return "POST \(Stage.upload) HTTP/1.1\r\nHost: a\r\nContent-Length: \(number)\r\n\r\n\(body)"
            }
            let last = "GET /none HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
            let client = try stage.http.connection(
                sending: requests.joined() + last + "GET /none HTTP/1.1\r\n\r\n"
            )
            await client.closedByServer()
            let lengths = try await stage.records(on: "sdk-upload").map(\.text.count)
            #expect(lengths.sorted() == Array(0..<20))
            // The request behind the one that closes the connection is not answered.
            #expect(
                stage.registry.exposition().contains(#"gateway_requests_total{route="none",status="404"} 1"#)
            )
        }
    }

    @Test func theAnswerToHEADHasNoBody() async throws {
        try await Stage.run { stage async throws in
            let answer = try await stage.http.exchange(
                "HEAD /none HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
            )
            #expect(answer.status == 404 && answer.headers["content-length"] == "10" && answer.body.isEmpty)
        }
    }

    /// curl sends no body of a megabyte before it is told to go on, or has waited for a second.
    @Test func aClientThatAsksWhetherToGoOnIsAnsweredBeforeItsBody() async throws {
        try await Stage.run(gateway: ["body_limit: 1024"]) { stage async throws in
            func request(_ target: String, length: Int, _ body: String) -> String {
                "POST \(target) HTTP/1.1\r\nHost: a\r\nConnection: close\r\nExpect: 100-Continue\r\n"
                    + "Content-Length: \(length)\r\n\r\n\(body)"
            }
            func status(_ request: String) async throws -> Int {
                try await stage.http.exchange(request).status
            }
            let good = request(Stage.upload, length: 3, "abc")
            #expect(try await status(good) == 100)
            let connection = try stage.http.connection(sending: good)
            await connection.closedByServer()
            #expect(try await stage.records(on: "sdk-upload").map(\.text).contains("abc"))
            // A refusal comes at once, without the body.
            #expect(try await status(request(Stage.upload, length: 2_000, "")) == 413)
            #expect(try await status(request("/none", length: 3, "")) == 404)
        }
    }

    @Test func whatIsNoHTTPIsRefused() async throws {
        try await Stage.run { stage async throws in
            #expect(try await stage.http.exchange("no such thing\r\n\r\n").status == 400)
            #expect(try await stage.post(Stage.upload, "x").status == 200)
        }
    }

    /// A body that is cut off must not look like a shorter one.
    @Test(arguments: ["Content-Length: 10\r\n\r\nabc", "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"])
    func aBodyThatIsCutOffIsNoRecord(rest: String) async throws {
        try await Stage.run { stage async throws in
            let cut = try stage.http.connection(
                sending: "POST \(Stage.upload) HTTP/1.1\r\nHost: a\r\n\(rest)"
            )
            cut.endSending()
            await cut.closedByServer()
            #expect(try await stage.records(on: "sdk-upload").isEmpty)
        }
    }

    @Test(arguments: [
        "POST \(Stage.upload) HTTP/1.1\r\nHo",
        "POST \(Stage.upload) HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n",
    ])
    func slowConnectionsStopNobody(start: String) async throws {
        try await Stage.run(gateway: ["connections: 64", "body_time: 60s", "header_time: 60s"]) {
            stage async throws in
            let slow = try (0..<200).map { _ in try stage.http.connection(sending: start) }
            for _ in 0..<10 { #expect(try await stage.post(Stage.upload, "honest").status == 200) }
            await slow[0].closedByServer()
            #expect(try await stage.records(on: "sdk-upload").count == 10)
        }
    }

    private static let slowUpload = "POST \(Stage.upload) HTTP/1.1\r\nHost: a\r\nContent-Length: 600\r\n\r\nx"

    /// One address that opened connections and sent nothing once closed everybody's slow uploads.
    @Test func connectionsOfOneAddressCloseNoOther() async throws {
        try await Stage.run(gateway: ["connections: 8", "body_time: 600s", "header_time: 600s"]) {
            stage async throws in
            let honest = try stage.http.connection(sending: Self.slowUpload)
            try await stage.waits { stage.limits.bytesInHand == 1 }
            let attacker = PlainHTTP(port: stage.port, source: 0x7F00_0002)
            let silent = try (0..<50).map { _ in try attacker.connection(sending: "POST") }
            try await stage.waits { silent.count(where: \.isClosedByServer) >= 43 }
            honest.send(String(repeating: "x", count: 599))
            #expect(await honest.status() == 200)
        }
    }

    /// The connections of a proxy are those of many clients, and are not counted as those of one.
    @Test func connectionsOfAProxyAreNotThoseOfOneClient() async throws {
        let settings = [
            "connections: 8", "body_time: 600s", "header_time: 600s", "trusted_proxies: [127.0.0.3]",
        ]
        try await Stage.run(gateway: settings) { stage async throws in
            let proxy = PlainHTTP(port: stage.port, source: 0x7F00_0003)
            let uploads = try (0..<6).map { _ in try proxy.connection(sending: Self.slowUpload) }
            try await stage.waits { stage.limits.bytesInHand == 6 }
            let attacker = PlainHTTP(port: stage.port, source: 0x7F00_0002)
            let silent = try (0..<50).map { _ in try attacker.connection(sending: "POST") }
            try await stage.waits { silent.count(where: \.isClosedByServer) >= 48 }
            #expect(uploads.allSatisfy { !$0.isClosedByServer })
        }
    }

    /// Where no proxy is named, all connections behind one have one address, and the slowest of them is closed.
    @Test func aConnectionWhoseBodyComesInIsNotTheSlowest() async throws {
        try await Stage.run(gateway: ["connections: 2", "body_time: 600s", "idle_time: 600s"]) {
            stage async throws in
            let upload = try stage.http.connection(sending: Self.slowUpload)
            try await stage.waits { stage.limits.bytesInHand == 1 }
            let idle = try stage.http.connection(sending: "GET /none HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(await idle.status() == 404)
            upload.send(String(repeating: "x", count: 300))
            try await stage.waits { stage.limits.bytesInHand == 301 }
            let next = try stage.http.connection(sending: "GET /none HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(await next.status() == 404)
            await idle.closedByServer()
            upload.send(String(repeating: "x", count: 299))
            #expect(await upload.status() == 200)
        }
    }

    /// 1,000 slow connections and a flood above the rate: whatever was answered with 200 is on the topic, once.
    @Test func aFloodLosesNothingThatWasAcknowledged() async throws {
        let settings = ["connections: 256", "client_rate: 5", "body_time: 60s", "header_time: 60s"]
        try await Stage.run(gateway: settings) { stage async throws in
            let head = "POST \(Stage.upload) HTTP/1.1\r\nHost: a\r\n"
            let slow = try (0..<1_000).map { number in
                let start = number % 2 == 0 ? head : head + "Content-Length: 9\r\n\r\nslow"
                return try stage.http.connection(sending: start)
            }
            let statuses = try await withThrowingTaskGroup(of: [Int: Int].self) { group in
                for client in 0..<16 {
                    group.addTask {
                        var statuses: [Int: Int] = [:]
                        for number in 0..<40 {
                            let id = client * 100 + number
                            statuses[id] = try await stage.post(Stage.upload, "id-\(id)").status
                        }
                        return statuses
                    }
                }
                return try await group.reduce(into: [:]) { $0.merge($1) { $1 } }
            }
            await slow[0].closedByServer()
            let taken = statuses.filter { $0.value == 200 }.keys.map { "id-\($0)" }
            #expect(statuses.values.contains(200) && statuses.values.contains(429))
            #expect(statuses.values.allSatisfy { $0 == 200 || $0 == 429 })
            #expect(try await stage.records(on: "sdk-upload").map(\.text).sorted() == taken.sorted())
            withExtendedLifetime(slow) {}
        }
    }
}
