import Records
import Simulation
import Testing
import UpstreamHTTP
import WireFormats

@testable import ServiceKit
@testable import WorkerKit

/// Records that their publishers do not want to be worked on before a time (the header `not-before`).
struct DelayedRecordTests {
    private typealias Reply = SimulatedUpstream.Reply

    /// The header for a time that is so far away from the beginning of a simulation.
    private static func notBefore(_ wait: Duration, in simulation: Simulation) -> RecordHeader {
        RecordHeader(NotBefore.header, RFC3339.string(simulation.clock.now.wall + wait.wholeMilliseconds))
    }

    @Test(arguments: EngineSettings.Delivery.allCases)
    func waitsForItsTimeAndKeepsTheOrderOfItsKey(delivery: EngineSettings.Delivery) throws {
        let simulation = Simulation(partitions: 2) { $0.delivery = delivery }
        let worker = simulation.startWorker()
        let delay = Self.notBefore(.seconds(120), in: simulation)
        simulation.cluster.append("late", key: "a", to: 0, headers: [delay])
        simulation.cluster.append("behind", key: "a", to: 0)
        for index in 0..<20 { simulation.cluster.append("ok", key: "b\(index)", to: Int32(index % 2)) }
        // Nothing but these two is left in hand: that is no standstill.
        for _ in 0..<115 {
            try simulation.run(for: .seconds(1))
            worker.judgeSilence()
            #expect(worker.engine.unreadiness == nil || simulation.seconds < 5)
        }
        #expect(worker.upstream.calls.count == 20)
        #expect(try simulation.run(for: .seconds(10)) { worker.upstream.calls.count == 22 })
        #expect((120...122).contains(simulation.seconds))
        #expect(try simulation.settleEverything())
        #expect(simulation.cluster.fates().allSatisfy { $0 == "succeeded" })
        #expect(simulation.violations == [])
    }

    @Test func aTimeThatCannotBeMeantIsRejected() throws {
        let simulation = Simulation { $0.deadline = .seconds(3_600) }
        let worker = simulation.startWorker()
        for value in ["", "soon", "2026-13-01T00:00:00Z", "1750000000000"] {
            simulation.cluster.append("ok", headers: [RecordHeader(NotBefore.header, value)])
        }
        for wait in [3_600, 3_601, 86_400 * 365 * 1_000] {
            simulation.cluster.append("ok", headers: [Self.notBefore(.seconds(wait), in: simulation)])
        }
        // A time that has passed delays nothing.
        simulation.cluster.append("ok", headers: [Self.notBefore(.seconds(-60), in: simulation)])
        #expect(try simulation.settleEverything(within: .seconds(10)))
        let reasons = (0..<8).map { simulation.cluster.outcome($0)?.reason }
        let (malformed, late) = ("not_before.malformed", "not_before.after_deadline")
        #expect(reasons == [malformed, malformed, malformed, malformed, late, late, late, ""])
        #expect(simulation.cluster.letters.isEmpty && worker.upstream.calls.count == 1)
        #expect(simulation.violations == [])
    }

    /// Many delayed records leave the hands of the worker, are taken over by another, and come back when it is time.
    @Test(arguments: EngineSettings.Delivery.allCases)
    func manyStopNobodyAndOutliveTheirWorker(delivery: EngineSettings.Delivery) throws {
        let simulation = Simulation(partitions: 2) {
            $0.delivery = delivery
            $0.recordsLimit = 500
        }
        simulation.makeParkingTopic()
        let honest = HonestPublisher(simulation)
        honest.publish(perSecond: 20, for: .seconds(240))
        let first = simulation.startWorker()
        let delay = Self.notBefore(.seconds(180), in: simulation)
        for index in 0..<2_000 {
            simulation.cluster.append(
                "late",
                key: "d\(index % 500)",
                to: Int32(index % 2),
                headers: [delay, RecordHeader("lane", "late")]
            )
        }
        for _ in 0..<60 {
            try simulation.run(for: .seconds(1))
            honest.look()
        }
        #expect(simulation.cluster.tickets.count > 1_400)
        simulation.kill(first)
        let second = simulation.startWorker()
        for _ in 0..<110 {
            try simulation.run(for: .seconds(1))
            honest.look()
        }
        let early = first.upstream.calls + second.upstream.calls
        #expect(!early.contains { $0.lane == "late" })
        for _ in 0..<70 {
            try simulation.run(for: .seconds(1))
            honest.look()
        }
        #expect(try simulation.settleEverything())
        #expect(second.upstream.calls.filter { $0.lane == "late" }.count >= 2_000)
        // A failover takes as long as the session of the dead worker.
        #expect(honest.judge.share(within: .seconds(20)) == 1)
        #expect(simulation.cluster.letters.isEmpty && simulation.cluster.tickets.isEmpty)
        #expect(simulation.violations == [])
    }

    /// A delayed record that was accepted was once rejected when it was looked at again and many others were in hand.
    @Test func aRecordThatWasAcceptedWaitsOn() throws {
        let simulation = Simulation {
            $0.recordsLimit = 400
            $0.deadline = .seconds(3_600)
        }
        var isDown = true
        simulation.reply = {
            $0.endpoint == .side && isDown
                ? .failure(.connect, mayHaveBeenSent: false, after: .milliseconds(1)) : Reply(200)
        }
        let worker = simulation.startWorker()
        let delay = Self.notBefore(.seconds(120), in: simulation)
        for index in 0..<190 { simulation.cluster.append("late", key: "d\(index)", headers: [delay]) }
        try simulation.run(for: .seconds(10))
        for index in 0..<205 {
            simulation.cluster.append("side", key: "s\(index)", headers: [RecordHeader("side", "")])
        }
        try simulation.run(for: .seconds(109.5))
        worker.stepWall(by: .seconds(-1))
        try simulation.run(for: .seconds(30))
        isDown = false
        #expect(try simulation.settleEverything(within: .seconds(300)))
        #expect(simulation.cluster.fates().allSatisfy { $0 == "succeeded" })
        #expect(simulation.violations == [])
    }

    /// Records behind a delayed one wait as long as it does, and are not read again and again.
    @Test func whatWaitsBehindADelayedRecordRests() throws {
        let simulation = Simulation(partitions: 2) { $0.recordsLimit = 500 }
        simulation.makeParkingTopic()
        let worker = simulation.startWorker()
        let delay = Self.notBefore(.seconds(3_600), in: simulation)
        for index in 0..<2_000 {
            simulation.cluster.append("late", key: "d\(index % 40)", to: Int32(index % 2), headers: [delay])
        }
        try simulation.run(for: .seconds(120))
        let read = worker.memory?.recordsRead ?? 0
        try simulation.run(for: .seconds(1_200))
        #expect((worker.memory?.recordsRead ?? 0) - read < 2_000)
        #expect(worker.upstream.calls.isEmpty && worker.engine.unreadiness == nil)
        #expect(try simulation.settleEverything(within: .seconds(7_200)))
        #expect(worker.upstream.calls.count == 2_000)
        #expect(simulation.violations == [])
    }

    /// Where no key has an order, a parked record that is delayed keeps no other one of its key away.
    @Test func withoutOrderNobodyWaitsBehindADelayedRecord() throws {
        let simulation = Simulation(partitions: 1) {
            $0.ordering = .none
            $0.recordsLimit = 200
        }
        simulation.makeParkingTopic()
        let end = simulation.clock.now.monotonic + Duration.seconds(120).wholeNanoseconds
        simulation.reply = { $0.lane == "b" && $0.at < end ? Reply(401) : Reply(200) }
        let worker = simulation.startWorker()
        let delay = Self.notBefore(.seconds(3_600), in: simulation)
        for _ in 0..<400 { simulation.cluster.append("late", key: "k", headers: [delay]) }
        for _ in 0..<400 { simulation.cluster.append("ok", key: "k", headers: [RecordHeader("lane", "b")]) }
        try simulation.run(for: .seconds(100))
        #expect(simulation.cluster.tickets.count > 500)
        let through = try simulation.run(for: .seconds(900)) {
            simulation.cluster.fates().count { $0 == "succeeded" } == 400
        }
        #expect(through)
        #expect(worker.upstream.calls.allSatisfy { $0.value == "ok" })
        #expect(try simulation.settleEverything(within: .seconds(7_200)))
        #expect(simulation.violations == [])
    }

    /// One publisher's delays leave half of the room to others, also where nothing can be parked.
    @Test func tooManyDelaysAreRefused() throws {
        let simulation = Simulation(partitions: 2) { $0.recordsLimit = 400 }
        let honest = HonestPublisher(simulation)
        honest.publish(perSecond: 20, for: .seconds(60))
        let worker = simulation.startWorker()
        let delay = Self.notBefore(.seconds(600), in: simulation)
        for index in 0..<1_000 {
            simulation.cluster.append("late", key: "d\(index)", to: Int32(index % 2), headers: [delay])
        }
        for _ in 0..<60 {
            try simulation.run(for: .seconds(1))
            honest.look()
        }
        #expect(honest.judge.share(within: .seconds(5)) == 1)
        #expect(try simulation.settleEverything())
        let refused = simulation.cluster.outcomes.values.joined().count { $0.reason == "not_before.too_many" }
        #expect((700...900).contains(refused), "\(refused)")
        #expect(worker.upstream.calls.count { $0.value == "late" } == 1_000 - refused)
        #expect(simulation.violations == [])
    }

    /// With a parking topic, half of the tickets are left to records that wait for something else.
    @Test func delaysTakeHalfOfTheTickets() throws {
        let simulation = Simulation(partitions: 2) { $0.recordsLimit = 200 }
        simulation.makeParkingTopic()
        let worker = simulation.startWorker()
        worker.engine.lot?.limit = 600
        let delay = Self.notBefore(.seconds(600), in: simulation)
        for index in 0..<1_000 {
            simulation.cluster.append("late", key: "d\(index)", to: Int32(index % 2), headers: [delay])
        }
        try simulation.run(for: .seconds(60))
        // Records that were in hand when half was reached are parked too.
        #expect((300...500).contains(simulation.cluster.tickets.count), "\(simulation.cluster.tickets.count)")
        simulation.cluster.append("ok", key: "honest")
        #expect(try simulation.run(for: .seconds(5)) { worker.upstream.calls.contains { $0.value == "ok" } })
        #expect(try simulation.settleEverything())
        #expect(simulation.violations == [])
    }

    /// A delayed record whose time is near, and which holds its partition up, is parked and not given up.
    @Test func aDelayedHeadOfLineIsParked() throws {
        let simulation = Simulation {
            $0.concurrency = 2_000
            $0.ordering = .key
        }
        simulation.makeParkingTopic()
        simulation.reply = { _ in Reply(200, after: .milliseconds(1)) }
        let worker = simulation.startWorker()
        try simulation.run(for: .seconds(2))
        simulation.cluster.append("late", headers: [Self.notBefore(.milliseconds(4_900), in: simulation)])
        for _ in 0..<16_300 { simulation.cluster.append("ok") }
        #expect(
            try simulation.run(for: .seconds(4)) {
                worker.log.count("one record holds up its partition") == 1
            }
        )
        #expect(try simulation.settleEverything())
        #expect(simulation.cluster.letters.isEmpty && worker.upstream.calls.count == 16_301)
        #expect(simulation.violations == [])
    }

    /// A clock that was behind when a delay was measured makes no record late, once it is put right.
    @Test func aClockThatIsPutRightEndsTheDelay() throws {
        let simulation = Simulation { $0.deadline = .seconds(7_200) }
        let worker = simulation.startWorker()
        let delay = Self.notBefore(.seconds(3_600), in: simulation)
        simulation.cluster.append("late", key: "a", headers: [delay])
        try simulation.run(for: .seconds(30))
        simulation.clock.stepWall(by: .seconds(3_500))
        // Records with times of the brokers' clock confirm the step.
        for index in 0..<200 {
            simulation.after(.milliseconds(500 * index)) { simulation.cluster.append("ok", key: "b\(index)") }
        }
        #expect(
            try simulation.run(for: .seconds(300)) { worker.upstream.calls.contains { $0.value == "late" } }
        )
        #expect(try simulation.settleEverything())
    }

    /// A clock that is behind once let a delayed record wait until its deadline, and it expired without a call.
    @Test(arguments: [60, 7_200, 400_000_000])
    func aClockThatIsBehindLetsNoDelayedRecordExpire(seconds: Int64) throws {
        let simulation = Simulation { $0.deadline = .seconds(3_600) }
        let worker = simulation.startWorker()
        worker.stepWall(by: .seconds(-seconds))
        simulation.cluster.append("late", key: "a", headers: [Self.notBefore(.seconds(120), in: simulation)])
        #expect(try simulation.settleEverything(within: .seconds(3_600)))
        let start = try #require(worker.upstream.calls.first?.at) / 1_000_000_000
        let expected = min(120 + seconds, 3_240)
        #expect((expected...expected + 5).contains(start))
        #expect(simulation.cluster.fates() == ["succeeded"])
    }

    /// A record that is dated ahead is not worked on before its time either.
    @Test func aRecordFromTheFutureWaitsForItsTime() throws {
        let simulation = Simulation { $0.deadline = .seconds(3_600) }
        let worker = simulation.startWorker()
        let now = simulation.clock.now.wall
        let delay = Self.notBefore(.seconds(120), in: simulation)
        simulation.cluster.append("late", key: "a", timestamp: now + 3_000_000, headers: [delay])
        #expect(try simulation.settleEverything(within: .seconds(200)))
        let start = try #require(worker.upstream.calls.first?.at) / 1_000_000_000
        #expect((120...125).contains(start))
    }

    /// While an endpoint is in doubt, delayed records are no probes and keep none away.
    @Test func aDelayedProbeGivesItsTurnToAnother() throws {
        let simulation = Simulation { $0.concurrency = 4 }
        let end = simulation.clock.now.monotonic + Duration.seconds(30).wholeNanoseconds
        simulation.reply = { $0.at < end ? Reply(503) : Reply(200) }
        let worker = simulation.startWorker()
        for index in 0..<50 { simulation.cluster.append("ok", key: "k\(index)") }
        #expect(try simulation.run(for: .seconds(20)) { worker.log.count("circuit breaker open") > 0 })
        let delay = Self.notBefore(.seconds(600), in: simulation)
        for index in 0..<200 { simulation.cluster.append("ok", key: "d\(index)", headers: [delay]) }
        #expect(
            try simulation.run(for: .seconds(200)) {
                simulation.cluster.fates().count { $0 == "succeeded" } >= 50
            }
        )
        #expect(try simulation.settleEverything())
        #expect(simulation.violations == [])
    }
}
