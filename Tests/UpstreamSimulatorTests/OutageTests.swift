import Testing

@testable import UpstreamSimulator

/// Being down, by both manners, and coming back on the same port.
struct OutageTests {
    private static let long: Int64 = 600_000

    @Test func refusesConnectionsUntilTheSwitchIsCleared() async throws {
        let simulator = try await GDTSimulator.start(GDTSimulator.Settings())
        let open = try await TestConnection(port: simulator.port)
        #expect(await open.ask("/healthz").status == 200)

        await simulator.setFaults(Faults(down: .init(milliseconds: Self.long)))
        #expect(await open.read().ending == .reset)
        await #expect(throws: TestConnection.Refused.self) { try await TestConnection(port: simulator.port) }

        await simulator.setFaults(Faults())
        #expect(await TestConnection.ask(simulator.port, "/healthz").status == 200)
        #expect(simulator.stats().faults == ["down": 1])
        await simulator.stop()
    }

    @Test func resetsConnectionsUntilTheSwitchIsCleared() async throws {
        let simulator = try await GDTSimulator.start(GDTSimulator.Settings())
        let open = try await TestConnection(port: simulator.port)
        #expect(await open.ask("/healthz").status == 200)

        await simulator.setFaults(Faults(down: .init(milliseconds: Self.long, manner: .reset)))
        #expect(await open.read().ending == .reset)
        let new = try await TestConnection(port: simulator.port)
        #expect(await new.read().ending == .reset)

        await simulator.setFaults(Faults())
        #expect(await TestConnection.ask(simulator.port, "/healthz").status == 200)
        await simulator.stop()
    }

    @Test(arguments: [Faults.Down.Manner.refuse, .reset])
    func comesBackByItself(manner: Faults.Down.Manner) async throws {
        let simulator = try await GDTSimulator.start(GDTSimulator.Settings())
        let began = ContinuousClock.now
        await simulator.setFaults(Faults(down: .init(milliseconds: 80, manner: manner)))
        var answer: TestConnection.Answer?
        while answer?.status == nil, ContinuousClock.now - began < .seconds(20) {
            answer = await TestConnection.ask(simulator.port, "/healthz")
        }
        #expect(answer?.status == 200)
        #expect(ContinuousClock.now - began >= .milliseconds(80))
        await simulator.stop()
    }

    @Test func aLaterOutageIsNotEndedByAnEarlierOne() async throws {
        let simulator = try await GDTSimulator.start(GDTSimulator.Settings())
        await simulator.setFaults(Faults(down: .init(milliseconds: 1)))
        await simulator.setFaults(Faults(down: .init(milliseconds: Self.long)))
        let tried = ContinuousClock.now
        while ContinuousClock.now - tried < .milliseconds(50) {
            await #expect(throws: TestConnection.Refused.self) {
                try await TestConnection(port: simulator.port)
            }
        }
        await simulator.stop()
    }

    @Test func stopsInTheMiddleOfAnOutage() async throws {
        let isRefused = try await TestConnection.isRefused {
            let simulator = try await GDTSimulator.start(GDTSimulator.Settings())
            await simulator.setFaults(Faults(down: .init(milliseconds: Self.long)))
            await simulator.stop()
            return simulator.port
        }
        #expect(isRefused)
    }

    @Test func answersTheControlRequestFirst() async throws {
        let simulator = try await GDTSimulator.start(GDTSimulator.Settings())
        let connection = try await TestConnection(port: simulator.port)
        let answer = await connection.ask(
            "/control/faults",
            method: "POST",
            body: #"{"down":{"milliseconds":60}}"#
        )
        #expect(answer.status == 200)
        #expect(answer.header("connection") == "close")
        #expect(await connection.read().ending == .closed)
        var wasRefused = false
        var isBack = false
        let began = ContinuousClock.now
        while !isBack, ContinuousClock.now - began < .seconds(20) {
            let answer = await TestConnection.ask(simulator.port, "/healthz")
            wasRefused = wasRefused || answer.ending == .refused
            isBack = answer.status == 200 && wasRefused
        }
        #expect(wasRefused)
        #expect(isBack)
        await simulator.stop()
    }
}
