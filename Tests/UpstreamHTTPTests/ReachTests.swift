import Testing

@testable import UpstreamHTTP

/// A request whose URL came from outside reaches the public internet only.
@Suite struct ReachTests {
    @Test(
        arguments: [
            ("8.8.8.8", true), ("101.226.1.1", true), ("172.15.0.1", true), ("172.32.0.1", true),
            ("100.63.0.1", true), ("100.128.0.1", true), ("223.255.255.254", true), ("192.0.1.1", true),
            ("0.0.0.0", false), ("10.1.2.3", false), ("100.64.0.1", false), ("127.0.0.1", false),
            ("127.255.255.255", false), ("169.254.169.254", false), ("172.16.0.1", false),
            ("172.31.255.255", false), ("192.0.0.8", false), ("192.0.2.1", false), ("192.168.0.1", false),
            ("198.18.0.1", false), ("198.19.255.255", false), ("198.51.100.1", false),
            ("203.0.113.1", false), ("224.0.0.1", false), ("255.255.255.255", false),
            ("2606:4700::1111", true), ("2001:4860:4860::8888", true), ("64:ff9b::808:808", true),
            ("::ffff:8.8.8.8", true), ("2002:808:808::1", true),
            ("::", false), ("::1", false), ("fe80::1", false), ("fc00::1", false), ("fd12::1", false),
            ("ff02::1", false), ("2001:db8::1", false), ("3fff::1", false), ("3fff:1000::1", true),
            ("2001::1", false), ("::ffff:127.0.0.1", false),
            ("::ffff:10.0.0.1", false), ("64:ff9b::a00:1", false), ("64:ff9b:1::1", false),
            ("2002:7f00:1::1", false), ("100::1", false), ("", false), ("example", false),
        ] as [(String, Bool)]
    )
    func knowsThePublicInternet(address: String, isPublic: Bool) {
        #expect(unsafe address.withCString { unsafe PublicAddress.isPublic($0) } == isPublic)
    }

    private static func request(_ url: String) -> HTTPRequest {
        var request = HTTPRequest(method: .post, url: url, body: [1])
        request.reach = .publicInternet
        return request
    }

    /// The name is resolved, and its address is judged: no byte reaches the server, not even a connection.
    @Test(arguments: ["127.0.0.1", "localhost"])
    func aHostOfThisMachineIsOutOfReach(host: String) throws {
        let server = TestServer.answering { _ in "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n" }
        let client = try HTTPClient(HTTPClientSettings())
        let error = try client.exchange(Self.request("http://\(host):\(server.port)/")).error
        #expect(error?.kind == .address && error?.mayHaveBeenSent == false)
        #expect(server.requests.isEmpty)
    }

    /// The first request leaves a connection open. The second one must not be sent on it.
    @Test func aKeptConnectionIsJudgedToo() throws {
        let server = TestServer.answering { _ in "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n" }
        let client = try HTTPClient(HTTPClientSettings())
        #expect(try client.exchange(HTTPRequest(method: .post, url: server.url())).error == nil)
        let error = try client.exchange(Self.request(server.url())).error
        #expect(error?.kind == .address && error?.mayHaveBeenSent == false)
        #expect(server.requests.count == 1)
        // A handle that refused an address serves other requests as before.
        #expect(try client.exchange(HTTPRequest(method: .post, url: server.url())).error == nil)
    }
}
