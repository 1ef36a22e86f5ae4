import Testing
import UpstreamHTTP

/// Addresses and headers that never reach a socket.
struct RefusalTests {
    @Test(arguments: [
        "", "http://", "https://", "http:///path", "http://?q", "ftp://127.0.0.1/", "file:///etc/passwd",
        "127.0.0.1", "HTTPS", "http:\u{0F}/127.0.0.1/", "http://127.0.0.1/a b", "http://127.0.0.1/\r\nX: y",
        "http://127.0.0.1/\u{0}", "http://127.0.0.1/\u{7F}", "http://127.0.0.1/é", "http://user@127.0.0.1/",
        "http://user:pass@127.0.0.1/", " http://127.0.0.1/",
    ])
    func refusesAURL(_ url: String) throws {
        try self.expectRefusal(HTTPRequest(method: .get, url: url))
    }

    @Test(arguments: [
        HTTPHeader("", "a"), HTTPHeader("A B", "a"), HTTPHeader("A:", "a"), HTTPHeader("A\r\nB", "a"),
        HTTPHeader("A", "b\r\nC: d"), HTTPHeader("A", "b\n"), HTTPHeader("A", "b\u{0}c"),
        HTTPHeader("Content-Length", "3"), HTTPHeader("transfer-encoding", "chunked"),
        HTTPHeader("EXPECT", "100-continue"), HTTPHeader("Connection", "close"),
    ])
    func refusesAHeader(_ header: HTTPHeader) throws {
        let server = TestServer.answering { _ in ok() }
        defer { server.stop() }
        let headers = [HTTPHeader("X-Fine", "1"), header]
        try self.expectRefusal(HTTPRequest(method: .post, url: server.url(), headers: headers, body: [1]))
        #expect(server.requests.isEmpty)
    }

    @Test func refusesAGetWithABody() throws {
        try self.expectRefusal(HTTPRequest(method: .get, url: "http://127.0.0.1/", body: []))
    }

    @Test func worksOnAfterARefusal() throws {
        let server = TestServer.answering { _ in ok() }
        defer { server.stop() }
        let client = try HTTPClient(HTTPClientSettings(connectionLimit: 1))
        let bad = HTTPRequest(method: .get, url: server.url(), headers: [HTTPHeader("A", "\n")])
        #expect(try client.exchange(bad).error?.kind == .other)
        #expect(try client.get(server.url("/fine", scheme: "HTTP")).get().status == 200)
    }

    @Test(arguments: [
        HTTPClientSettings(connectTimeout: .zero), HTTPClientSettings(requestTimeout: .seconds(-1)),
        HTTPClientSettings(connectionLimit: 0), HTTPClientSettings(connectionsPerShard: 0),
        HTTPClientSettings(responseBytesLimit: 0), HTTPClientSettings(keptHeaders: ["a b"]),
        HTTPClientSettings(certificateAuthorityFile: "/nowhere/ca.pem"),
        HTTPClientSettings(userAgent: "a\r\nb"), HTTPClientSettings(idleConnectionLifetime: .zero),
    ])
    func refusesSettings(_ settings: HTTPClientSettings) {
        #expect(throws: TransferError.self) { try HTTPClient(settings) }
    }

    private func expectRefusal(_ request: HTTPRequest) throws {
        let client = try HTTPClient(HTTPClientSettings())
        client.start(request, id: 7)
        #expect(client.timeoutMilliseconds == 0)
        let error = try #require(client.finishAll()[7]?.error)
        #expect(error.kind == .other)
        #expect(!error.mayHaveBeenSent)
    }
}
