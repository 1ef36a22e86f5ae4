import Testing

@testable import UpstreamSimulator

/// The server over real sockets: what one connection sees, fault by fault.
struct GDTSimulatorTests {
    private static func withSimulator(
        faults: Faults = Faults(),
        scripted: Bool = false,
        threadCount: Int = 1,
        _ body: (RunningSimulator) async throws -> Void
    ) async throws {
        var settings = GDTSimulator.Settings(keys: [Reporter.keys])
        settings.faults = faults
        settings.scriptedByClickID = scripted
        settings.threadCount = threadCount
        settings.now = { Reporter.now * 1000 + 999 }
        let simulator = try await GDTSimulator.start(settings)
        do {
            try await body(simulator)
        } catch {
            await simulator.stop()
            throw error
        }
        await simulator.stop()
    }

    @Test func answersManyRequestsOnOneConnection() async throws {
        try await Self.withSimulator { simulator in
            let connection = try await TestConnection(port: simulator.port)
            let answer = await connection.ask(Reporter().target)
            #expect(answer.body == #"{"ret":0,"msg":"success"}"#)
            #expect(answer.header("content-type") == "application/json")
            #expect(await connection.ask(Reporter().target).ret == 0)
            #expect(await connection.ask(Reporter(muid: "x").target).ret == -15)
            #expect(await connection.ask(Reporter().target, method: "POST").ret == -1)
            let stats = simulator.stats()
            #expect(stats.requests == 4)
            #expect(stats.accepted == 2)
            #expect(stats.distinctAccepted == 1)
            #expect(stats.duplicates == 1)
            #expect(stats.rets == ["0": 2, "-15": 1, "-1": 1])
            #expect(stats.connections == 1)
            #expect(stats.openConnections == 1)
            let expected = AcceptedReport(
                appID: "111",
                muid: Reporter.muid(0),
                conversionType: "MOBILEAPP_ACTIVITE",
                count: 2
            )
            #expect(simulator.accepted() == [expected])
        }
    }

    @Test func pipelinedAnswersKeepTheirOrder() async throws {
        try await Self.withSimulator(scripted: true) { simulator in
            let connection = try await TestConnection(port: simulator.port)
            let targets = [
                Reporter(clickID: "sim-slow40-a").target, Reporter(muid: "x").target, "/healthz",
                Reporter(conversionType: "x").target,
            ]
            connection.send(targets.map { TestConnection.request($0) }.joined())
            #expect(await connection.read().ret == 0)
            #expect(await connection.read().ret == -15)
            #expect(await connection.read().body == "ok\n")
            #expect(await connection.read().ret == -17)
        }
    }

    @Test func closesWhenAskedTo() async throws {
        try await Self.withSimulator { simulator in
            let connection = try await TestConnection(port: simulator.port)
            connection.send(TestConnection.request(Reporter().target, more: "connection: close\r\n"))
            #expect(await connection.read().ret == 0)
            #expect(await connection.read().ending == .closed)
        }
    }

    @Test func countsAcrossThreads() async throws {
        try await Self.withSimulator(threadCount: 2) { simulator in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for worker in 0..<8 {
                    group.addTask {
                        let connection = try await TestConnection(port: simulator.port)
                        for number in 0..<50 {
                            let target = Reporter(muid: Reporter.muid(worker % 4 * 50 + number)).target
                            #expect(await connection.ask(target).ret == 0)
                        }
                    }
                }
                try await group.waitForAll()
            }
            let stats = simulator.stats()
            #expect(stats.accepted == 400)
            #expect(stats.distinctAccepted == 200)
            #expect(stats.duplicates == 200)
            // A worker of another test may still look for its upstream at a port that is ours now.
            #expect(stats.connections >= 8)
        }
    }

    @Test func latencyDelaysTheAnswer() async throws {
        try await Self.withSimulator(faults: Faults(latency: .init(milliseconds: 60))) { simulator in
            let asked = ContinuousClock.now
            #expect(await TestConnection.ask(simulator.port, Reporter().target).ret == 0)
            #expect(ContinuousClock.now - asked >= .milliseconds(60))
        }
    }

    @Test func aServerErrorIsAnHTTPStatus() async throws {
        let faults = Faults(serverError: .init(status: 500, when: Dose(next: 1)))
        try await Self.withSimulator(faults: faults) { simulator in
            let connection = try await TestConnection(port: simulator.port)
            let answer = await connection.ask(Reporter().target)
            #expect(answer.status == 500)
            #expect(answer.header("retry-after") == nil)
            #expect(simulator.accepted().isEmpty)
            #expect(await connection.ask(Reporter().target).ret == 0)
        }
    }

    @Test(arguments: [(nil, 429), (503, 503)])
    func throttlingSaysWhenToComeBack(status: Int?, expected: Int) async throws {
        let throttle = Faults.Throttle(retryAfterSeconds: 7, status: status, when: Dose(next: 1))
        try await Self.withSimulator(faults: Faults(throttle: throttle)) { simulator in
            let connection = try await TestConnection(port: simulator.port)
            let answer = await connection.ask(Reporter().target)
            #expect(answer.status == expected)
            #expect(answer.header("retry-after") == "7")
            #expect(await connection.ask(Reporter().target).ret == 0)
        }
    }

    @Test(arguments: [(Faults(cutBefore: .always), 0), (Faults(cutAfter: .always), 1)])
    func aCutConnectionEndsWithoutAnAnswer(faults: Faults, accepted: Int) async throws {
        try await Self.withSimulator(faults: faults) { simulator in
            let answer = await TestConnection.ask(simulator.port, Reporter().target)
            #expect(answer.status == nil)
            #expect(answer.ending == .closed)
            #expect(simulator.stats().accepted == accepted)
        }
    }

    @Test func aProxyPageIsNoAnswerOfTheAPI() async throws {
        try await Self.withSimulator(faults: Faults(proxyPage: .always)) { simulator in
            let answer = await TestConnection.ask(simulator.port, Reporter().target)
            #expect(answer.status == 200)
            #expect(answer.header("content-type") == "text/html")
            #expect(answer.body.hasPrefix("<html>"))
            #expect(answer.ending == .complete)
            #expect(simulator.accepted().isEmpty)
        }
    }

    @Test func aTruncatedBodyIsShorterThanAnnounced() async throws {
        try await Self.withSimulator(faults: Faults(truncated: .always)) { simulator in
            let answer = await TestConnection.ask(simulator.port, Reporter().target)
            #expect(answer.status == 200)
            #expect(answer.header("content-length") == "25")
            #expect(answer.body == #"{"ret":0,"ms"#)
            #expect(answer.ending == .closed)
            #expect(simulator.stats().accepted == 1)
        }
    }

    @Test func aLargeAnswerIsWholeAndLongerThanAWorkerReads() async throws {
        try await Self.withSimulator(scripted: true) { simulator in
            let answer = await TestConnection.ask(simulator.port, Reporter(clickID: "sim-large-a").target)
            #expect(answer.status == 200 && answer.ret == 0)
            #expect((100_000...140_000).contains(answer.body.utf8.count))
            #expect(answer.ending == .complete)
            #expect(simulator.stats().accepted == 1)
        }
    }

    @Test func aWrongRetIsSaidWithAStraightFace() async throws {
        let faults = Faults(wrongRets: [.init(ret: -12, when: Dose(next: 1))])
        try await Self.withSimulator(faults: faults) { simulator in
            let answer = await TestConnection.ask(simulator.port, Reporter().target)
            #expect(answer.body == #"{"ret":-12,"msg":"fetching keys failed"}"#)
            #expect(simulator.accepted().isEmpty)
            #expect(await TestConnection.ask(simulator.port, Reporter().target).ret == 0)
        }
    }

    @Test func hangingSaysNothingAndStaysOpen() async throws {
        try await Self.withSimulator(faults: Faults(hang: Dose(next: 1))) { simulator in
            let connection = try await TestConnection(port: simulator.port)
            connection.send(TestConnection.request(Reporter().target))
            #expect(await connection.read(patience: 100).ending == .silent)
            #expect(simulator.stats().faults == ["hang": 1])
            #expect(await TestConnection.ask(simulator.port, Reporter().target).ret == 0)
            await simulator.stop()
            let answer = await connection.read()
            #expect(answer.status == nil)
            #expect(answer.ending == .closed)
        }
    }

    @Test func aClickIDWritesItsOwnFate() async throws {
        try await Self.withSimulator(scripted: true) { simulator in
            let target = Reporter(clickID: "sim-503x1.429after2x1.htmlx1.cutx1.cutafterx1-a").target
            let port = simulator.port
            #expect(await TestConnection.ask(port, target).status == 503)
            #expect(await TestConnection.ask(port, target).header("retry-after") == "2")
            #expect(await TestConnection.ask(port, target).header("content-type") == "text/html")
            #expect(await TestConnection.ask(port, target).ending == .closed)
            #expect(simulator.accepted().isEmpty)
            #expect(await TestConnection.ask(port, target).ending == .closed)
            #expect(simulator.accepted().map(\.count) == [1])
            #expect(await TestConnection.ask(port, target).ret == 0)
            #expect(simulator.stats().scripted == 5)
        }
    }

    @Test func aPortInUseIsAnError() async throws {
        try await Self.withSimulator { simulator in
            var settings = GDTSimulator.Settings()
            settings.port = simulator.port
            await #expect(throws: SimulatorError.self) { try await GDTSimulator.start(settings) }
        }
    }

    @Test func stoppingClosesThePort() async throws {
        let isRefused = try await TestConnection.isRefused {
            let simulator = try await GDTSimulator.start(GDTSimulator.Settings())
            let connection = try await TestConnection(port: simulator.port)
            #expect(await connection.ask("/healthz").status == 200)
            await simulator.stop()
            await simulator.stop()
            #expect(await connection.read().ending == .closed)
            return simulator.port
        }
        #expect(isRefused)
    }
}
