import Testing
import UpstreamHTTP

/// The bytes that go over the wire, and the answer that comes back.
struct ExchangeTests {
    @Test func deliversStatusBodyAndKeptHeaders() throws {
        let server = TestServer.answering { _ in
            ok("later", headers: "retry-AFTER: 17\r\nX-Other: 1\r\n", status: "503 Busy")
        }
        defer { server.stop() }
        let response = try HTTPClient(HTTPClientSettings()).get(server.url()).get()
        #expect(response.status == 503)
        #expect(response.body == Array("later".utf8))
        #expect(response.headers == [HTTPHeader("retry-after", "17")])
    }

    /// A body that is on its way and half an answer take up memory: the owner bounds what is in hand.
    @Test func countsTheBytesOfCallsThatAreOut() throws {
        let server = TestServer { connection in
            guard connection.request() != nil else { return }
            let head = "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n"
            guard connection.send(head + String(repeating: "a", count: 50_000)) else { return }
            connection.waitForEnd()
        }
        defer { server.stop() }
        let client = try HTTPClient(HTTPClientSettings(requestTimeout: .milliseconds(500)))
        let body = [UInt8](repeating: 1, count: 70_000)
        client.start(HTTPRequest(method: .post, url: server.url(), headers: [], body: body), id: 1)
        #expect(client.bytesInHand == 70_000)
        var most = 0
        while client.inFlight > 0 {
            client.turn { _, outcome in #expect(outcome.error?.kind == .timeout) }
            most = max(most, client.bytesInHand)
        }
        #expect(most == 120_000)
        #expect(client.bytesInHand == 0)
    }

    /// Found by fuzzing: libcurl had the end of the line for a value, or for a part of one.
    @Test(arguments: [
        ("Retry-After: \r\n", ""), ("Retry-After:\r\n 17\r\n", "17"), ("Retry-After: 1\r\n 7\r\n", "1 7"),
    ])
    func keepsNoLineEndInAHeader(line: String, value: String) throws {
        let server = TestServer.answering { _ in ok(headers: line) }
        defer { server.stop() }
        let response = try HTTPClient(HTTPClientSettings()).get(server.url()).get()
        #expect(response.headers == [HTTPHeader("retry-after", value)])
    }

    @Test func sendsAGetAsItStands() throws {
        let server = TestServer.answering { _ in ok() }
        defer { server.stop() }
        let client = try HTTPClient(HTTPClientSettings(userAgent: "fleet/1"))
        let path = "/a/../b/./%2e?x=1&y=%20"
        let headers = [HTTPHeader("X-A", "1")]
        _ = try client.exchange(HTTPRequest(method: .get, url: server.url(path), headers: headers)).get()
        #expect(
            server.requests.first?.head
                == "GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n"
                + "User-Agent: fleet/1\r\nX-A: 1\r\n\r\n"
        )
    }

    @Test(arguments: [0, 1, 1_024, 70_000, 1 << 20])
    func sendsAPostByteForByte(length: Int) throws {
        let server = TestServer.answering { _ in ok() }
        defer { server.stop() }
        let client = try HTTPClient(HTTPClientSettings())
        let body = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let headers = [
            HTTPHeader("Content-Type", "application/json"), HTTPHeader("X-Empty", ""),
            HTTPHeader("X-Text", "a: b; \"c\"\té"),
        ]
        let request = HTTPRequest(method: .post, url: server.url("/p"), headers: headers, body: body)
        // Twice, so that a handle that has been used before does the same.
        for _ in 0..<2 { #expect(try client.exchange(request).get().status == 200) }
        for seen in server.requests {
            #expect(seen.body == body)
            #expect(
                seen.head.split(separator: "\r\n", omittingEmptySubsequences: false).dropFirst(2) == [
                    "User-Agent: flotilla", "Content-Type: application/json", "X-Empty:",
                    "X-Text: a: b; \"c\"\té", "Content-Length: \(length)", "", "",
                ]
            )
        }
        #expect(server.requests.count == 2)
    }

    @Test func forgetsMethodBodyAndHeadersOfTheExchangeBefore() throws {
        let server = TestServer.answering { _ in ok() }
        defer { server.stop() }
        let client = try HTTPClient(HTTPClientSettings())
        let secret = [HTTPHeader("Authorization", "s3cret")]
        _ = try client.exchange(HTTPRequest(method: .post, url: server.url(), headers: secret, body: [1]))
            .get()
        _ = try client.get(server.url()).get()
        _ = try client.exchange(HTTPRequest(method: .post, url: server.url())).get()
        let heads = server.requests.map(\.head)
        #expect(heads.map { $0.prefix(4) } == ["POST", "GET ", "POST"])
        #expect(heads.map { $0.contains("s3cret") } == [true, false, false])
        #expect(heads.map { $0.contains("Content-Length") } == [true, false, true])
        #expect(server.requests.last?.body == [])
    }

    @Test func usesAConnectionAgain() throws {
        let server = TestServer.answering { _ in ok("x") }
        defer { server.stop() }
        let client = try HTTPClient(HTTPClientSettings())
        for _ in 0..<20 { _ = try client.get(server.url()).get() }
        #expect(server.requests.count == 20)
        #expect(server.connectionCount == 1)
    }

    @Test func readsAChunkedBodyAndOneThatEndsWithTheConnection() throws {
        let server = TestServer { connection in
            _ = connection.request()
            connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            connection.send("3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n")
            _ = connection.request()
            connection.send("HTTP/1.1 200 OK\r\n\r\nto the end")
        }
        defer { server.stop() }
        let client = try HTTPClient(HTTPClientSettings())
        #expect(try client.get(server.url()).get().body == Array("abcde".utf8))
        #expect(try client.get(server.url()).get().body == Array("to the end".utf8))
    }

    @Test func neverDecodesContentNorFollowsRedirects() throws {
        let server = TestServer.answering { request in
            request.head.contains("/moved")
                ? ok(headers: "Location: /elsewhere\r\n", status: "302 Found")
                : ok("not gzip at all", headers: "Content-Encoding: gzip\r\n")
        }
        defer { server.stop() }
        let client = try HTTPClient(HTTPClientSettings())
        #expect(try client.get(server.url("/moved")).get().status == 302)
        #expect(try client.get(server.url()).get().body == Array("not gzip at all".utf8))
        #expect(server.requests.count == 2)
    }

    @Test(arguments: [(3, 1), (50, 7), (400, 4)])
    func deliversEveryExchangeOnceAcrossShards(limit: Int, perShard: Int) throws {
        // The path comes back as the body, so that no answer can be taken for another.
        let server = TestServer.answering { ok(String($0.head.split(separator: " ")[1].dropFirst())) }
        defer { server.stop() }
        let client = try HTTPClient(HTTPClientSettings(connectionLimit: limit, connectionsPerShard: perShard))
        let total = UInt64(limit * 5)
        var begun: UInt64 = 0
        var bodies: [UInt64: [UInt8]] = [:]
        while bodies.count < total {
            while begun < total && client.inFlight < limit {
                client.start(HTTPRequest(method: .get, url: server.url("/\(begun)")), id: begun)
                begun += 1
            }
            client.turn { id, outcome in
                #expect(bodies.updateValue((try? outcome.get().body) ?? [], forKey: id) == nil)
            }
        }
        #expect(client.inFlight == 0)
        for (id, body) in bodies { #expect(body == Array(String(id).utf8)) }
        #expect(server.connectionCount <= limit)
    }

    @Test func mayStartWhileItCompletes() throws {
        let server = TestServer.answering { _ in ok() }
        defer { server.stop() }
        let client = try HTTPClient(HTTPClientSettings(connectionLimit: 2, connectionsPerShard: 1))
        client.start(HTTPRequest(method: .get, url: server.url()), id: 1)
        client.start(HTTPRequest(method: .get, url: server.url()), id: 2)
        var order: [UInt64] = []
        while client.inFlight > 0 {
            client.turn { id, _ in
                order.append(id)
                if id < 3 { client.start(HTTPRequest(method: .get, url: server.url()), id: id + 2) }
            }
        }
        #expect(order.sorted() == [1, 2, 3, 4])
    }
}
