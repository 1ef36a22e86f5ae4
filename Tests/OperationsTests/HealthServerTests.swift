import CoreMetrics
import Logging
import Operations
import ServiceLifecycle
import Testing
import WorkerTestSupport

/// A server on a port of its own, up for the time of a test.
@Suite(.timeLimit(.minutes(10)))
struct HealthServerTests {
    let clock = ManualClock()
    let registry = PrometheusRegistry()

    func withServer(
        _ health: Health,
        headerLimit: Duration = .seconds(60),
        _ body: @escaping @Sendable (PlainHTTP, ServiceGroup) async throws -> Void
    ) async throws {
        let (ports, port) = AsyncStream<Int>.makeStream()
        let server = HealthServer(health: health, registry: self.registry, headerLimit: headerLimit) {
            port.yield($0)
        }
        var logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        logger.logLevel = .critical
        let services = ServiceGroup(services: [server], logger: logger)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                defer { port.finish() }
                try await services.run()
            }
            group.addTask {
                for await port in ports {
                    #expect(port > 0)
                    try await body(PlainHTTP(port: port), services)
                    break
                }
                await services.triggerGracefulShutdown()
            }
            try await group.waitForAll()
        }
    }

    @Test func tellsWhetherItIsReady() async throws {
        let health = Health(uptime: self.clock.uptime)
        try await self.withServer(health) { client, _ in
            let starting = try await client.get("/readyz")
            #expect(starting.statusLine == "HTTP/1.1 503 Service Unavailable")
            #expect(starting.body == "{\"status\":\"starting\"}\n")
            health.become(.ready)
            let ready = try await client.get("/readyz?verbose")
            #expect(ready.statusLine == "HTTP/1.1 200 OK")
            #expect(ready.body == "{\"status\":\"ready\"}\n")
            #expect(ready.headers["content-type"] == "application/json")
            health.become(.notReady(reason: "no \"broker\"\n"))
            #expect(
                try await client.get("/readyz").body
                    == "{\"status\":\"not ready\",\"reason\":\"no \\\"broker\\\"\\n\"}\n"
            )
            health.become(.draining)
            let draining = try await client.get("/readyz")
            #expect(draining.statusLine == "HTTP/1.1 503 Service Unavailable")
            #expect(draining.body == "{\"status\":\"draining\"}\n")
            #expect(try await client.get("/livez").statusLine == "HTTP/1.1 200 OK")
        }
    }

    @Test func tellsWhetherTheEngineTurns() async throws {
        let health = Health(longestSilence: .seconds(30), uptime: self.clock.uptime)
        let clock = self.clock
        try await self.withServer(health) { client, _ in
            #expect(try await client.get("/livez").body == "{\"status\":\"alive\"}\n")
            clock.advance(seconds: 40)
            let stalled = try await client.get("/livez")
            #expect(stalled.statusLine == "HTTP/1.1 503 Service Unavailable")
            #expect(
                stalled.body == "{\"status\":\"stalled\",\"reason\":\"no sign of the engine for 40 s\"}\n"
            )
        }
    }

    @Test func showsTheMetrics() async throws {
        Counter(label: "hits", factory: self.registry).increment(by: 3)
        try await self.withServer(Health()) { client, _ in
            let page = try await client.get("/metrics")
            #expect(page.headers["content-type"]?.hasPrefix("text/plain; version=0.0.4") == true)
            #expect(page.body == "# TYPE hits_total counter\nhits_total 3\n")
            let head = try await client.get("/metrics", method: "HEAD")
            #expect(head.statusLine == "HTTP/1.1 200 OK")
            #expect(head.headers["content-length"] == "39")
            #expect(head.body.isEmpty)
        }
    }

    @Test func answersNothingElse() async throws {
        try await self.withServer(Health()) { client, _ in
            #expect(try await client.get("/").statusLine == "HTTP/1.1 404 Not Found")
            #expect(try await client.get("/metrics/../livez").statusLine == "HTTP/1.1 404 Not Found")
            let body = "Host: a\r\nContent-Length: 3\r\nConnection: close\r\n\r\nabc"
            let post = try await client.exchange("POST /readyz HTTP/1.1\r\n" + body)
            #expect(post.text.hasPrefix("HTTP/1.1 405 Method Not Allowed\r\n"))
            #expect(post.text.contains("GET, HEAD"))
            let padding = String(repeating: "x", count: 20_000)
            let large = try await client.exchange("GET /livez HTTP/1.1\r\nHost: a\r\nX: \(padding)\r\n\r\n")
            #expect(!large.text.hasPrefix("HTTP/1.1 2"))
            #expect(!(try await client.exchange("\0\0\0\r\n\r\n")).text.hasPrefix("HTTP/1.1 2"))
        }
    }

    /// A kubelet kills a pod whose `/livez` is silent. 64 connections that never finished their header did that.
    @Test func slowConnectionsSilenceNobody() async throws {
        try await self.withServer(Health()) { client, _ in
            let slow = try (0..<200).map { _ in try client.connection(sending: "GET /livez HTTP/1.1\r\nHo") }
            #expect(try await client.get("/livez").statusLine == "HTTP/1.1 200 OK")
            await slow[0].closedByServer()
        }
    }

    /// A client that asks again and again and reads no answer once held up the end of the process for a minute.
    @Test func aClientThatReadsNothingHoldsUpNoStop() async throws {
        let name = String(repeating: "n", count: 200)
        for index in 0..<1_000 { Counter(label: "\(name)_\(index)", factory: self.registry).increment() }
        // The connection stays open for longer than the server does.
        let (connections, connection) = AsyncStream<(PlainConnection, ContinuousClock.Instant)>.makeStream()
        try await self.withServer(Health()) { client, _ in
            let requests = String(repeating: "GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n", count: 200)
            let deaf = try client.connection(sending: requests)
            #expect(await deaf.status() == 200)
            _ = try await client.get("/livez")
            connection.yield((deaf, .now))
        }
        let end = ContinuousClock.now
        connection.finish()
        for await (deaf, stop) in connections {
            #expect(deaf.isClosedByServer)
            // The stop alone is measured, because a busy machine takes long for the rest.
            #expect(end - stop < .seconds(45))
        }
    }

    @Test func anAnsweredConnectionIsNotTheSlowest() async throws {
        try await self.withServer(Health()) { client, _ in
            let answered = try client.connection(sending: "GET /livez HTTP/1.1\r\nHost: a\r\n")
            let slow = try client.connection(sending: "GET /livez")
            // Connections are accepted in their order, so both are in the book when this one is answered.
            _ = try await client.get("/livez")
            answered.send("\r\n")
            #expect(await answered.status() == 200)
            let more = try (0..<63).map { _ in try client.connection(sending: "GET") }
            await slow.closedByServer()
            #expect(!answered.isClosedByServer && more.allSatisfy { !$0.isClosedByServer })
        }
    }

    @Test func aHeaderHasToComeInTime() async throws {
        try await self.withServer(Health(), headerLimit: .milliseconds(50)) { client, _ in
            let slow = try client.connection(sending: "GET /livez HTTP/1.1\r\nHo")
            await slow.closedByServer()
            // A client that has sent its header in time is not hurried any more: a scraper keeps its connection. On a
            // busy machine the server may read even a whole header too late.
            func answeredConnection() async throws -> PlainConnection {
                while true {
                    let client = try client.connection(sending: "GET /livez HTTP/1.1\r\nHost: a\r\n\r\n")
                    if await client.status() == 200 { return client }
                }
            }
            let scraper = try await answeredConnection()
            let next = try client.connection(sending: "GET /livez HTTP/1.1\r\nHo")
            await next.closedByServer()
            #expect(!scraper.isClosedByServer)
        }
    }

    @Test func aPortInUseIsAClearError() async throws {
        try await self.withServer(Health()) { client, _ in
            let second = HealthServer(port: client.port, health: Health(), registry: PrometheusRegistry())
            let error = await #expect(throws: HealthServer.CannotListen.self) { try await second.run() }
            let expected =
                "the health server cannot listen on 127.0.0.1:\(client.port): the address is already in use; "
            #expect(error?.description.hasPrefix(expected + "health.port names another port") == true)
        }
    }

    /// Groups stop from the back: the engine drains while the server, which stands before it, still answers.
    @Test func answersNotReadyWhileTheEngineDrains() async throws {
        let health = Health()
        health.become(.ready)
        let (ports, port) = AsyncStream<Int>.makeStream()
        let server = HealthServer(health: health, registry: self.registry) { port.yield($0) }
        let engine = DrainingEngine(health: health, ports: ports)
        var logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        logger.logLevel = .critical
        let services = ServiceGroup(services: [server, engine], logger: logger)
        engine.stop.yield { await services.triggerGracefulShutdown() }
        try await services.run()
    }
}

/// Stops the group itself, and looks at the probe when it has been told to stop.
private struct DrainingEngine: Service {
    let health: Health
    let ports: AsyncStream<Int>
    let stops: AsyncStream<@Sendable () async -> Void>
    let stop: AsyncStream<@Sendable () async -> Void>.Continuation

    init(health: Health, ports: AsyncStream<Int>) {
        self.health = health
        self.ports = ports
        (self.stops, self.stop) = AsyncStream.makeStream()
    }

    func run() async throws {
        var ports = self.ports.makeAsyncIterator()
        var stops = self.stops.makeAsyncIterator()
        guard let port = await ports.next(), let stop = await stops.next() else { return }
        let client = PlainHTTP(port: port)
        #expect(try await client.get("/readyz").statusLine == "HTTP/1.1 200 OK")
        await stop()
        try await gracefulShutdown()
        self.health.become(.draining)
        #expect(try await client.get("/readyz").body == "{\"status\":\"draining\"}\n")
    }
}

extension PlainHTTP {
    /// As a probe asks.
    fileprivate func get(_ path: String, method: String = "GET") async throws -> Answer {
        try await self.request(method, path, headers: ["Host": "probe"])
    }
}
