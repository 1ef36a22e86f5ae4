import Glibc
import Testing
import UpstreamHTTP

/// Closing, and the end of idle connections.
struct LifetimeTests {
    @Test func closesWithRequestsInFlight() throws {
        let server = TestServer { $0.waitForEnd() }
        defer { server.stop() }
        let client = try HTTPClient(HTTPClientSettings(connectionLimit: 50, connectionsPerShard: 8))
        for id in 0..<50 as Range<UInt64> {
            client.start(HTTPRequest(method: .get, url: server.url()), id: id)
        }
        client.serve { id, _ in Issue.record("\(id) completed") }
        client.close()
        client.close()
        #expect(client.inFlight == 0)
        #expect(client.timeoutMilliseconds == -1)
        client.serve { id, _ in Issue.record("\(id) completed") }
        #expect(try client.get(server.url()).error?.kind == .other)
    }

    @Test func endsOneRequestEarlyAndLeavesTheOthersAlone() throws {
        let server = TestServer { connection in
            if connection.request()?.head.hasPrefix("GET /quick") == true { connection.send(ok()) }
            connection.waitForEnd()
        }
        defer { server.stop() }
        let client = try HTTPClient(HTTPClientSettings(connectionLimit: 10, connectionsPerShard: 2))
        for id in 1...4 as ClosedRange<UInt64> {
            client.start(HTTPRequest(method: .get, url: server.url(id == 4 ? "/quick" : "/hangs")), id: id)
        }
        var outcomes: [UInt64: Outcome] = [:]
        while server.requests.count < 4 || outcomes.isEmpty { client.turn { outcomes[$0] = $1 } }
        #expect(try outcomes[4]?.get().status == 200)
        for id in [2, 4, 9] as [UInt64] { client.cutShort(id) }
        #expect(client.timeoutMilliseconds == 0 && client.inFlight == 3)
        client.serve { outcomes[$0] = $1 }
        #expect(outcomes[2]?.error?.kind == .timeout && outcomes[2]?.error?.mayHaveBeenSent == true)
        client.serve { id, _ in Issue.record("\(id) completed") }
        #expect(outcomes.count == 2 && client.inFlight == 2 && client.bytesInHand == 0)
        for id in [1, 3] as [UInt64] { client.cutShort(id) }
        #expect(client.finishAll().count == 2)
    }

    @Test func closesConnectionsThatHaveBeenIdle() throws {
        let server = TestServer.answering { _ in ok() }
        defer { server.stop() }
        let client = try HTTPClient(HTTPClientSettings(idleConnectionLifetime: .seconds(1)))
        _ = try client.get(server.url()).get()
        #expect((1...1_000).contains(client.timeoutMilliseconds))
        while client.timeoutMilliseconds >= 0 { client.turn { _, _ in } }
        _ = try client.get(server.url()).get()
        #expect(server.connectionCount == 2)
    }

    /// The server's end of a kept connection makes its descriptor readable, with nobody there to read.
    @Test func doesNotSpinOnAKeptConnectionThatTheServerCloses() throws {
        let server = TestServer { connection in
            _ = connection.request()
            connection.send(ok())
        }
        defer { server.stop() }
        let client = try HTTPClient(HTTPClientSettings())
        _ = try client.get(server.url()).get()
        var watched = pollfd(fd: client.descriptor, events: Int16(POLLIN), revents: 0)
        #expect(unsafe poll(&watched, 1, 5_000) == 1)
        client.serve { _, _ in }
        #expect(unsafe poll(&watched, 1, 0) == 0)
        #expect(try client.get(server.url()).get().status == 200)
    }

    @Test func refusesOneRequestTooMany() throws {
        let server = TestServer.answering { _ in ok() }
        defer { server.stop() }
        let client = try HTTPClient(HTTPClientSettings(connectionLimit: 2, connectionsPerShard: 1))
        for id in 0..<3 as Range<UInt64> {
            client.start(HTTPRequest(method: .get, url: server.url()), id: id)
        }
        let outcomes = client.finishAll()
        #expect(outcomes[2]?.error?.kind == .other)
        #expect(outcomes.values.count { $0.error == nil } == 2)
    }
}
