import Logging
import Records
import Simulation
import Testing

@testable import WorkerKit

/// Lanes that are held, and records that ask for it again and again.
struct EngineHoldTests {
    private typealias Reply = SimulatedUpstream.Reply

    private static let hour = Duration.seconds(3_600)

    /// One lane, a good record a second for an hour, and among them some that always ask for a hold.
    private static func mixed(bad: Int, every gap: Duration) -> Simulation {
        let simulation = Simulation()
        simulation.reply = { $0.value == "bad" ? Reply(401) : Reply(200) }
        for index in 0..<3_600 {
            simulation.after(.seconds(index)) { simulation.cluster.append("good \(index)") }
        }
        for index in 0..<bad { simulation.after(gap * index) { simulation.cluster.append("bad") } }
        return simulation
    }

    /// From its arrival to its first call, in seconds, of every record that is well.
    private static func waits(_ simulation: Simulation) -> [Double] {
        let births = simulation.cluster.inputs.map { Double($0.timestamp ?? 0) }
        let wallAtStart = 1_750_000_000_000.0 - 1_000
        var firsts: [Int64: Double] = [:]
        for call in simulation.worker.upstream.calls where call.value != "bad" {
            firsts[call.offset] = firsts[call.offset] ?? Double(call.at) / 1e6 + wallAtStart
        }
        return firsts.map { ($1 - births[Int($0)]) / 1_000 }.sorted()
    }

    @Test(arguments: [(20, Duration.milliseconds(1)), (50, .seconds(60))])
    func recordsThatAlwaysAskForAHoldNeitherStormNorHoldUpOthers(bad: Int, gap: Duration) throws {
        let simulation = Self.mixed(bad: bad, every: gap)
        let worker = simulation.startWorker()
        try simulation.run(for: Self.hour + .seconds(30))
        let calls = Dictionary(grouping: worker.upstream.calls.filter { $0.value == "bad" }, by: \.offset)
        #expect(calls.count == bad)
        #expect(calls.values.map(\.count).max() ?? 0 < 30)
        let waits = Self.waits(simulation)
        #expect(waits.count == 3_600)
        // The first hold is believed, and costs its pause. After that, nothing does.
        #expect(waits.last ?? .infinity < 6)
        #expect(waits.count { $0 > 0.01 } < 30)
        #expect(simulation.cluster.letters.isEmpty)
        #expect(worker.log.count(.error) == 1)
        #expect(worker.log.count("lane open again") == 1)
        #expect(worker.log.count("record held; its lane is well") < bad)
        #expect(simulation.violations == [])
        Report.note(
            "holds: \(bad) bad of one lane",
            [
                "calls per bad record and hour: most \(calls.values.map(\.count).max() ?? 0)",
                "longest wait of a good one \(waits.last ?? 0) s, later than 10 ms \(waits.count { $0 > 0.01 })",
            ]
        )
    }

    @Test func aGoodRecordIsProbedBeforeThoseThatAskedForTheHold() throws {
        let simulation = Simulation()
        simulation.reply = { $0.value == "bad" ? Reply(401) : Reply(200) }
        for _ in 0..<40 { simulation.cluster.append("bad") }
        simulation.after(.seconds(2)) { simulation.cluster.append("good") }
        let worker = simulation.startWorker()
        try simulation.run(for: .seconds(10))
        #expect(simulation.cluster.outcome(40)?.fate == "succeeded")
        #expect(worker.upstream.calls.prefix(41).last?.value == "good")
        #expect(simulation.violations == [])
    }

    @Test func probesInVainAreNotTheSameRecordsEachTime() throws {
        let simulation = Simulation()
        simulation.reply = { _ in Reply(401) }
        for index in 0..<4 { simulation.cluster.append("\(index)") }
        let worker = simulation.startWorker()
        try simulation.run(for: Self.hour)
        let probed = worker.upstream.calls.map(\.offset)
        #expect(probed.prefix(12) == [0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3])
        #expect(worker.log.count("lane held: its configuration looks broken; its records wait") == 1)
    }

    @Test func answersToCallsBegunBeforeTheHoldDoNotEndIt() throws {
        let simulation = Simulation()
        simulation.reply = { call in
            switch call.value {
            case "bad" where call.at < 30_000_000_000: Reply(401)
            case "slow": Reply(200, after: .seconds(1))
            default: Reply(200)
            }
        }
        simulation.cluster.append("bad")
        for _ in 0..<10 { simulation.cluster.append("slow") }
        simulation.after(.milliseconds(500)) { simulation.cluster.append("waits") }
        let worker = simulation.startWorker()
        try simulation.run(for: .milliseconds(4_900))
        #expect(worker.upstream.calls.count == 11)
        #expect(try simulation.settleEverything(within: .seconds(60)))
        #expect(simulation.violations == [])
    }

    @Test func saysOnceThatHeldRecordsStopTheIntakeAndOnceThatTheyDoNoMore() throws {
        let simulation = Simulation {
            $0.recordsLimit = 155
            $0.concurrency = 4
            $0.commitInterval = .seconds(7)
        }
        var isBroken = true
        // A record that is settled makes room for one more, for a moment.
        simulation.reply = { call in
            let latency = Duration.milliseconds(100 + call.offset * 37 % 800)
            return call.lane == "broken" && isBroken ? Reply(401) : Reply(200, after: latency)
        }
        for index in 0..<1_000 {
            let lane = index < 150 ? "broken" : "fine"
            simulation.cluster.append("\(index)", headers: [RecordHeader("lane", lane)])
        }
        let worker = simulation.startWorker()
        try simulation.run(for: .seconds(60))
        #expect(worker.engine.table.count == 155)
        let isStopped = "records of held lanes stop the intake: others wait behind them"
        #expect(worker.log.count(isStopped) == 1)
        isBroken = false
        #expect(try simulation.settleEverything(within: .seconds(900)))
        try simulation.run(for: .seconds(2))
        #expect(worker.log.count(isStopped) == 1)
        #expect(worker.log.count("records of held lanes no longer stop the intake") == 1)
        #expect(simulation.violations == [])
    }

    @Test func saysThatAHeldRecordKeepsAPartitionsWindow() throws {
        let simulation = Simulation { $0.lanes.firstPause = .seconds(300) }
        simulation.reply = { $0.lane == "broken" ? Reply(401) : Reply(200) }
        simulation.cluster.append("x", headers: [RecordHeader("lane", "broken")])
        for _ in 0..<(PartitionProgress.window + 100) { simulation.cluster.append("y") }
        let worker = simulation.startWorker()
        try simulation.run(for: .seconds(100))
        #expect(worker.log.count("records of held lanes stop the intake: others wait behind them") == 1)
        #expect(worker.log.count("records of held lanes no longer stop the intake") == 0)
    }

    @Test func aFewHeldRecordsAreNotSaidToStopTheIntake() throws {
        let simulation = Simulation { $0.recordsLimit = 200 }
        simulation.reply = { $0.lane == "broken" ? Reply(401) : Reply(200, after: .seconds(5)) }
        for index in 0..<1_000 {
            let lane = index < 10 ? "broken" : "fine"
            simulation.cluster.append("\(index)", headers: [RecordHeader("lane", lane)])
        }
        let worker = simulation.startWorker()
        try simulation.run(for: .seconds(60))
        #expect(worker.log.count(.warning) == 0)
    }

    @Test func aLaneThatBreaksAgainIsHeldAgainWithoutAnotherAlarm() throws {
        let simulation = Simulation { $0.concurrency = 1 }
        var isBroken = true
        simulation.reply = { _ in isBroken ? Reply(401) : Reply(200) }
        for index in 0..<600 {
            simulation.after(.milliseconds(500 * index)) { simulation.cluster.append("\(index)") }
        }
        simulation.after(.seconds(30)) { isBroken = false }
        simulation.after(.seconds(100)) { isBroken = true }
        simulation.after(.seconds(200)) { isBroken = false }
        let worker = simulation.startWorker()
        try simulation.run(for: .seconds(190))
        #expect(worker.upstream.calls.filter { $0.at > 103_000_000_000 }.count < 12)
        #expect(worker.log.count("lane held again") == 1)
        // A worker that has nothing but held records stands still, and says so each time.
        let standstills = worker.log.count(beginning: "the worker stands still")
        #expect(standstills == 2)
        #expect(worker.log.count(.error) - standstills == 1)
        #expect(try simulation.settleEverything(within: .seconds(600)))
        #expect(simulation.cluster.letters.isEmpty)
        #expect(simulation.violations == [])
    }

    /// An upstream can ask for a wait of no time at all, and for each answer again.
    @Test func aLaneThatIsAskedToWaitForNothingIsCalledOnceASecond() throws {
        let simulation = Simulation()
        simulation.reply = { call in call.at < 60_000_000_000 ? Reply(430, retryAfter: 0) : Reply(200) }
        for index in 0..<20 { simulation.cluster.append("record \(index)") }
        let worker = simulation.startWorker()
        try simulation.run(for: .seconds(60))
        #expect((50...60 + worker.engine.settings.concurrency).contains(worker.upstream.calls.count))
        #expect(try simulation.settleEverything(within: .seconds(60)))
        #expect(simulation.cluster.letters.isEmpty && simulation.violations == [])
    }

    /// An account that has used up its requests waits, and the account beside it does not.
    @Test func aLaneThatWasAskedToWaitHoldsUpNobodyElse() throws {
        let simulation = Simulation()
        let gateEnds: Int64 = 120_000_000_000
        simulation.reply = { call in
            call.lane == "a" && call.at < gateEnds ? Reply(430, retryAfter: 60) : Reply(200)
        }
        for index in 0..<200 {
            let lane = index % 2 == 0 ? "a" : "b"
            simulation.cluster.append("record \(index)", headers: [RecordHeader("lane", lane)])
        }
        let worker = simulation.startWorker()
        try simulation.run(for: .seconds(30))
        #expect(simulation.cluster.outcomes.values.joined().count == 100)
        let asked = worker.upstream.calls.count { $0.lane == "a" }
        // The calls that were out when the first answer came, and no others.
        #expect(asked <= worker.engine.settings.concurrency)
        try simulation.run(for: .seconds(240))
        #expect(simulation.cluster.outcomes.values.joined().count == 200)
        #expect(simulation.cluster.letters.isEmpty && simulation.violations == [])
        #expect(worker.log.count("lane has to wait") == 1)
        // No lane is suspected. The only error tells that nothing else is left to do meanwhile.
        #expect(worker.log.count(.error) == 1)
        #expect(worker.log.count("why it has to wait") <= 1)
        // One probe a minute while the gate lasts.
        let probes = worker.upstream.calls.filter { $0.lane == "a" && $0.at < gateEnds }.count - asked
        #expect((1...3).contains(probes))
    }
}
