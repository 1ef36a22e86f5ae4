import Testing
import UpstreamHTTP

/// Exchanges without an answer: what is said of them, and whether the upstream may know of them.
struct FailureTests {
    struct Broken: CustomTestStringConvertible {
        var testDescription: String
        var answer: String
        var kind: TransferError.Kind
    }

    private static let long = String(repeating: "b", count: 1_000)

    static let broken: [Broken] = [
        Broken(testDescription: "cut before an answer", answer: "", kind: .cut),
        Broken(testDescription: "cut in the headers", answer: "HTTP/1.1 200 OK\r\nA: b", kind: .cut),
        Broken(
            testDescription: "cut after an interim answer",
            answer: "HTTP/1.1 103 Early Hints\r\nA: b\r\n\r\n",
            kind: .cut
        ),
        Broken(
            testDescription: "cut in the headers after an interim answer",
            answer: "HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nA: b",
            kind: .cut
        ),
        Broken(
            testDescription: "cut in the body",
            answer: "HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nfour",
            kind: .cut
        ),
        Broken(
            testDescription: "cut in a chunk",
            answer: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nfour",
            kind: .cut
        ),
        Broken(testDescription: "garbage", answer: "SSH-2.0-OpenSSH_9.2p1\r\n\r\n", kind: .malformed),
        Broken(testDescription: "no status line", answer: "{\"ret\":0}", kind: .malformed),
        Broken(testDescription: "a body beyond the limit", answer: ok("123456789"), kind: .tooLarge),
        Broken(
            testDescription: "an unannounced body beyond the limit",
            answer: "HTTP/1.1 200 OK\r\n\r\n123456789",
            kind: .tooLarge
        ),
        Broken(
            testDescription: "many headers",
            answer: ok(headers: String(repeating: "A: \(long)\r\n", count: 80)),
            kind: .tooLarge
        ),
        Broken(
            testDescription: "one huge header",
            answer: ok(headers: "A: \(String(repeating: "b", count: 200_000))\r\n"),
            kind: .tooLarge
        ),
    ]

    @Test(arguments: broken)
    func namesWhatBroke(_ broken: Broken) throws {
        let server = TestServer { connection in
            guard connection.request() != nil else { return }
            connection.send(broken.answer)
        }
        defer { server.stop() }
        let client = try HTTPClient(HTTPClientSettings(responseBytesLimit: 8))
        let error = try #require(client.get(server.url("/secret?token=abc")).error)
        #expect(error.kind == broken.kind, "\(error)")
        #expect(error.mayHaveBeenSent)
        #expect(!error.message.contains("secret") && !error.message.contains("127.0.0.1"))
        #expect(server.requests.count == 1)
    }

    @Test func takesABodyOfExactlyTheLimit() throws {
        let server = TestServer.answering { _ in ok("12345678") }
        defer { server.stop() }
        let client = try HTTPClient(HTTPClientSettings(responseBytesLimit: 8))
        #expect(try client.get(server.url()).get().body.count == 8)
    }

    @Test func knowsThatNothingWasSentWhenNobodyListens() throws {
        let error = try #require(HTTPClient(HTTPClientSettings()).get("http://127.0.0.1:1/").error)
        #expect(error.kind == .connect)
        #expect(!error.mayHaveBeenSent)
    }

    @Test func knowsThatNothingWasSentWhenANameDoesNotResolve() throws {
        let error = try #require(HTTPClient(HTTPClientSettings()).get("http://no-such-host.invalid/").error)
        #expect(error.kind == .resolve)
        #expect(!error.mayHaveBeenSent)
    }

    @Test func timesOutAfterSending() throws {
        let server = TestServer { connection in
            _ = connection.request()
            connection.waitForEnd()
        }
        defer { server.stop() }
        let client = try HTTPClient(HTTPClientSettings(requestTimeout: .milliseconds(200)))
        let error = try #require(client.get(server.url()).error)
        #expect(error.kind == .timeout)
        #expect(error.mayHaveBeenSent)
    }

    /// A TLS handshake that nobody answers.
    @Test(arguments: [true, false])
    func timesOutBeforeSending(byConnectTimeout: Bool) throws {
        let server = TestServer { $0.waitForEnd() }
        defer { server.stop() }
        let client = try HTTPClient(
            HTTPClientSettings(
                connectTimeout: byConnectTimeout ? .milliseconds(200) : .seconds(9),
                requestTimeout: byConnectTimeout ? .seconds(9) : .milliseconds(200)
            )
        )
        let error = try #require(client.get(server.url(scheme: "https")).error)
        #expect(error.kind == .timeout)
        #expect(!error.mayHaveBeenSent)
    }

    /// Servers close idle connections at any moment, and libcurl would repeat by itself what it sent into one.
    @Test func neverSendsARequestTwice() throws {
        let server = TestServer { connection in
            guard let first = connection.request(), !first.head.contains("/cut") else { return }
            connection.send(ok())
            _ = connection.request()
        }
        defer { server.stop() }
        for method in [HTTPRequest.Method.get, .post] {
            let client = try HTTPClient(HTTPClientSettings())
            _ = try client.get(server.url("/warm")).get()
            let path = "/cut-\(method.rawValue)"
            let request = HTTPRequest(method: method, url: server.url(path))
            let error = try #require(client.exchange(request).error)
            #expect(error.kind == .cut, "\(error)")
            #expect(error.mayHaveBeenSent)
            #expect(server.requests.count { $0.head.contains(path) } == 1)
        }
    }
}
