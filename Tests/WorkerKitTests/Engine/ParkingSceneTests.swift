import Kafka
import Records
import Simulation
import Testing
import UpstreamHTTP

@testable import ServiceKit
@testable import WorkerKit

/// A waiting record leaves memory: scenes of one destination, lane or key that would fill the hands of a worker, beside
/// a steady stream of honest records.
struct ParkingSceneTests {
    private typealias Reply = SimulatedUpstream.Reply

    private static func refused(_ call: SimulatedUpstream.Call) -> Reply {
        .failure(.connect, mayHaveBeenSent: false, after: .milliseconds(1))
    }

    /// Runs for so many seconds, and looks after the honest and the silent.
    private func play(_ simulation: Simulation, _ honest: HonestPublisher, seconds: Int) throws {
        for _ in 0..<seconds {
            try simulation.run(for: .seconds(1))
            honest.look()
            for worker in simulation.workers { worker.judgeSilence() }
        }
    }

    /// Records of 83 KB for an endpoint that refuses connections once filled the worker's memory, and the records of
    /// the other endpoint behind them were not read.
    @Test(arguments: [true, false], EngineSettings.Delivery.allCases)
    func anEndpointThatIsDownFillsNoHandsButItsOwn(hasKeys: Bool, delivery: EngineSettings.Delivery) throws {
        let simulation = Simulation(partitions: 2) {
            $0.bytesLimit = 8 << 20
            $0.concurrency = 16
            $0.delivery = delivery
        }
        simulation.makeParkingTopic()
        simulation.reply = { $0.endpoint == .side ? Self.refused($0) : Reply(200) }
        let honest = HonestPublisher(simulation)
        honest.publish(perSecond: 20, for: .seconds(180))
        simulation.startWorker()
        try simulation.run(for: .seconds(2))
        let bulk = RecordHeader("bulk", String(repeating: "x", count: 83_000))
        for index in 0..<300 {
            let key = hasKeys ? "s\(index % 40)" : nil
            let headers = [RecordHeader("side", ""), bulk]
            simulation.cluster.append("side", key: key, to: Int32(index % 2), headers: headers)
        }
        try self.play(simulation, honest, seconds: 180)
        #expect(honest.judge.share(within: .seconds(30)) == 1)
        #expect(simulation.violations == [])
        #expect(simulation.cluster.tickets.count > 100)
        simulation.reply = { _ in Reply(200) }
        #expect(try simulation.settleEverything())
        #expect(simulation.violations == [])
        #expect(simulation.cluster.letters.isEmpty)
        try simulation.run(for: .seconds(1))
        #expect(simulation.worker.isEmpty)
    }

    /// An account whose credentials are refused holds its own records, and only those.
    @Test func aHeldLaneFillsNoHandsButItsOwn() throws {
        let simulation = Simulation(partitions: 2) { $0.recordsLimit = 500 }
        simulation.makeParkingTopic()
        simulation.reply = { Reply($0.lane == "bad" ? 401 : 200) }
        let honest = HonestPublisher(simulation)
        honest.publish(perSecond: 20, for: .seconds(180))
        simulation.startWorker()
        try simulation.run(for: .seconds(2))
        for index in 0..<1_500 {
            let headers = [RecordHeader("lane", "bad")]
            simulation.cluster.append("ok", key: "b\(index)", to: Int32(index % 2), headers: headers)
        }
        try self.play(simulation, honest, seconds: 180)
        #expect(honest.judge.share(within: .seconds(30)) == 1)
        #expect(simulation.violations == [])
        simulation.reply = { _ in Reply(200) }
        #expect(try simulation.settleEverything())
    }

    /// A few records that wait once held the position back while 12,000 others were settled beyond it. A group that was
    /// moved then, or had lost the metadata of its commit, did all of those again.
    @Test(arguments: ["lane", "side", "budget"])
    func recordsThatWaitDoNotHoldThePositionBack(cause: String) throws {
        let simulation = Simulation {
            $0.recordsLimit = 5_000
            $0.budget.letters = 2
            $0.budget.window = .seconds(60)
        }
        simulation.makeParkingTopic()
        simulation.reply = { $0.endpoint == .side ? Self.refused($0) : Reply($0.lane == "bad" ? 401 : 200) }
        let honest = HonestPublisher(simulation)
        honest.publish(perSecond: 200, for: .seconds(25))
        simulation.startWorker()
        try simulation.run(for: .seconds(2))
        for index in 0..<20 {
            simulation.cluster.append(
                cause == "budget" ? "undecodable" : "ok",
                key: "w\(index)",
                headers: [RecordHeader(cause, "bad")]
            )
        }
        var furthest: Int64 = 0
        for _ in 0..<25 {
            try self.play(simulation, honest, seconds: 1)
            let end = Int64(simulation.cluster.inputs.count)
            furthest = max(furthest, end - (simulation.cluster.committedOffset() ?? 0))
        }
        #expect((2_000..<3_500).contains(furthest))
        #expect(honest.judge.share(within: .seconds(5)) == 1)
        #expect(simulation.cluster.tickets.count < 40)
        simulation.reply = { _ in Reply(200) }
        #expect(try simulation.settleEverything(within: .seconds(1_800)))
        #expect(simulation.violations == [])
    }

    /// Many records of one key are worked on one after the other. They must not be in the way of others.
    @Test func oneBusyKeyFillsNoHandsButItsOwn() throws {
        let simulation = Simulation { $0.recordsLimit = 500 }
        simulation.makeParkingTopic()
        simulation.reply = { _ in Reply(200, after: .milliseconds(50)) }
        let honest = HonestPublisher(simulation)
        honest.publish(perSecond: 20, for: .seconds(120))
        simulation.startWorker()
        try simulation.run(for: .seconds(2))
        for _ in 0..<3_000 { simulation.cluster.append("ok", key: "busy") }
        try self.play(simulation, honest, seconds: 130)
        #expect(honest.judge.share(within: .seconds(30)) == 1)
        #expect(simulation.violations == [])
        #expect(try simulation.settleEverything(within: .seconds(600)))
    }

    /// Records of a key whose endpoint is slow once filled the share of what comes back: those that had been parked for
    /// another endpoint stayed parked long after it was well again.
    @Test(arguments: [1, 8]) func aSlowKeyLeavesTheWayBackToOthers(keys: Int) throws {
        let simulation = Simulation { $0.recordsLimit = 200 }
        simulation.makeParkingTopic()
        var isDown = true
        simulation.reply = { call in
            if call.endpoint == .side { return Reply(200, after: .seconds(9)) }
            return isDown ? Self.refused(call) : Reply(200)
        }
        let honest = HonestPublisher(simulation)
        honest.judge.excuse(from: simulation.clock.now.monotonic, for: .seconds(65))
        simulation.startWorker()
        try simulation.run(for: .seconds(2))
        for index in 0..<800 {
            simulation.cluster.append("side", key: "s\(index % keys)", headers: [RecordHeader("side", "")])
        }
        honest.publish(perSecond: 10, for: .seconds(60))
        try self.play(simulation, honest, seconds: 60)
        #expect(simulation.cluster.tickets.count > 500)
        isDown = false
        try self.play(simulation, honest, seconds: 60)
        #expect(honest.judge.share(within: .seconds(30)) == 1)
        #expect(simulation.violations == [])
        simulation.reply = { _ in Reply(200) }
        #expect(try simulation.settleEverything())
        #expect(simulation.violations == [])
    }

    /// A sound record that was parked behind a malformed one of its key once waited for the budget that only that one had
    /// exceeded: as long as others went on to exceed it, though its own turn had come.
    @Test func whoFollowsADeadLetterDoesNotWaitForItsBudget() throws {
        let simulation = Simulation {
            $0.recordsLimit = 100
            $0.budget.letters = 20
            $0.budget.window = .seconds(60)
        }
        simulation.makeParkingTopic()
        simulation.startWorker()
        for index in 0..<100 {
            simulation.cluster.append("undecodable", key: "m\(index)")
            simulation.cluster.append("ok", key: "m\(index)")
        }
        for second in 0..<240 {
            simulation.cluster.append("undecodable", key: "other\(second)")
            try simulation.run(for: .seconds(1))
        }
        let fates = simulation.cluster.fates()
        let released = (0..<100).filter { fates[$0 * 2] != nil }
        #expect(released.count > 30)
        #expect(released.filter { fates[$0 * 2 + 1] == nil } == [])
        #expect(simulation.violations == [])
        #expect(try simulation.settleEverything(within: .seconds(3_600)))
    }

    /// A worker that takes over in the middle of an outage goes on where the last one stopped.
    @Test(arguments: EngineSettings.Delivery.allCases)
    func whoTakesOverKnowsWhatIsParked(delivery: EngineSettings.Delivery) throws {
        let simulation = Simulation(partitions: 2) {
            $0.recordsLimit = 200
            $0.delivery = delivery
        }
        simulation.makeParkingTopic()
        simulation.reply = { $0.endpoint == .side ? Self.refused($0) : Reply(200) }
        simulation.startWorker()
        for index in 0..<2_000 {
            simulation.cluster.append(
                "side",
                key: "k\(index % 300)",
                to: Int32(index % 2),
                headers: [RecordHeader("side", "")]
            )
        }
        try simulation.run(for: .seconds(20))
        #expect(simulation.cluster.tickets.count > 1_000)
        for _ in 0..<3 {
            simulation.kill(simulation.worker)
            simulation.startWorker()
            try simulation.run(for: .seconds(20))
        }
        simulation.reply = { _ in Reply(200) }
        #expect(try simulation.settleEverything())
        #expect(simulation.violations == [])
        try simulation.run(for: .seconds(1))
        #expect(simulation.worker.isEmpty)
    }

    /// Poison that fails again and again is the oldest in the lot, and once took all of the room for what comes back.
    /// It takes half of it at most, so that others find some.
    @Test func recordsThatFailAgainAndAgainLeaveHalfOfTheWayBack() throws {
        let simulation = Simulation {
            $0.ordering = .none
            $0.recordsLimit = 160
            $0.attempts = 1_000
        }
        simulation.makeParkingTopic()
        simulation.reply = { Reply($0.value == "poison" ? 503 : 200, after: .milliseconds(20)) }
        let worker = simulation.startWorker()
        for _ in 0..<400 { simulation.cluster.append("poison") }
        var most = 0
        for step in 0..<1_800 {
            if step % 10 == 0 { simulation.cluster.append("ok") }
            try simulation.run(for: .milliseconds(100))
            let table = worker.engine.table
            let back = table.ids.filter { table[$0].parking == .over && table[$0].cameBackFaulty }.count
            most = max(most, back)
        }
        #expect(worker.engine.unparked.recordsLimit == 40)
        #expect(most > 10 && most <= 20)
        #expect(simulation.violations == [])
    }

    /// A ticket of a killed worker that reached its topic after the next one had read it stayed there once: a later
    /// owner would have called for its record a second time.
    @Test func aTicketThatIsLateIsKnownToTheNextOwner() throws {
        let simulation = Simulation { $0.recordsLimit = 40 }
        simulation.makeParkingTopic()
        simulation.cluster.produceFate = { record in
            let isTicket = record.topic == "work.parked"
            return .acknowledged(after: .milliseconds(isTicket ? 800 : 2))
        }
        simulation.reply = { $0.endpoint == .side ? Self.refused($0) : Reply(200) }
        let worker = simulation.startWorker()
        for index in 0..<20 { simulation.cluster.append("ok", key: "o\(index)") }
        try simulation.run(for: .seconds(10))
        for index in 0..<100 {
            simulation.cluster.append("side", key: "k\(index)", headers: [RecordHeader("side", "")])
        }
        #expect(try simulation.run(for: .seconds(20)) { worker.engine.parkedTickets > 10 })
        #expect(simulation.cluster.tickets.isEmpty)
        simulation.kill(worker)
        // The next owner settles the records without parking them, so that it would take no ticket back by itself.
        simulation.reply = { _ in Reply(200) }
        simulation.startWorker()
        #expect(try simulation.run(for: .seconds(5)) { simulation.cluster.tickets.count > 10 })
        #expect(try simulation.settleEverything())
        #expect(simulation.violations == [])
        #expect(simulation.cluster.tickets.isEmpty)
    }

    /// A worker that takes over does not know which of the parked records are the poison that keeps the endpoint in
    /// doubt: the records in hand may all be, and sound ones come back to show that it is well.
    @Test(arguments: EngineSettings.Delivery.allCases)
    func poisonInHandKeepsNoSoundRecordParked(delivery: EngineSettings.Delivery) throws {
        let simulation = Simulation {
            $0.recordsLimit = 100
            $0.delivery = delivery
            $0.attempts = 1_000
        }
        simulation.makeParkingTopic()
        simulation.reply = { $0.endpoint == .side ? Reply(200) : Self.refused($0) }
        simulation.startWorker()
        for index in 0..<80 { simulation.cluster.append("poison", key: "p\(index)") }
        for index in 0..<300 { simulation.cluster.append("sound", key: "s\(index % 100)") }
        try simulation.run(for: .seconds(60))
        #expect(simulation.cluster.tickets.count > 200)
        simulation.kill(simulation.worker)
        simulation.reply = { Reply($0.value == "poison" ? 503 : 200) }
        simulation.startWorker()
        let areSettled = try simulation.run(for: .seconds(60)) {
            simulation.cluster.fates()[80...].allSatisfy { $0 == "succeeded" }
        }
        #expect(areSettled)
        #expect(simulation.violations == [])
    }

    /// An endpoint that is down for 20 minutes, with 3,000 records of 80 KB behind it, and a worker that takes over in the
    /// middle: the other endpoint's records are settled as if nothing were, the worker stays within its bounds, and in the
    /// end all are settled in the order of their keys. `flotilla-lab simulate --outage-day` has a day and 100,000 of them.
    @Test(arguments: EngineSettings.Delivery.allCases)
    func aLongOutageCostsDiskAndNotProgress(delivery: EngineSettings.Delivery) throws {
        var plan = OutagePlan()
        plan.records = 3_000
        plan.length = .seconds(1_200)
        plan.perSecond = 1
        plan.delivery = delivery
        let report = try OutageDay(plan).run()
        #expect(report.misses == [])
    }

    /// Where every endpoint is down, nobody would gain by it: what comes stays in its topic, but for a few that make room for
    /// others who may show that one of them is well.
    @Test func littleIsParkedWhereNobodyWouldGain() throws {
        let simulation = Simulation { $0.recordsLimit = 200 }
        simulation.makeParkingTopic()
        simulation.reply = Self.refused
        simulation.startWorker()
        func publish(_ count: Int) {
            for index in 0..<count {
                let headers = index % 2 == 0 ? [] : [RecordHeader("side", "")]
                simulation.cluster.append("ok", key: "k\(index)", headers: headers)
            }
        }
        // As long as nothing is known of an endpoint, it is taken to be well.
        publish(100)
        try simulation.run(for: .seconds(10))
        publish(5_000)
        try simulation.run(for: .seconds(600))
        #expect(simulation.cluster.tickets.count < 500)
        simulation.reply = { _ in Reply(200) }
        #expect(try simulation.settleEverything())
        #expect(simulation.violations == [])
    }

    /// Large records of a dead endpoint that nobody had looked at yet once filled the hands, while the probes of the other
    /// endpoint were poison that had failed before: nothing came in any more that could have shown it to be well.
    @Test(arguments: EngineSettings.Delivery.allCases)
    func whatNobodyHasLookedAtKeepsNoSoundRecordOut(delivery: EngineSettings.Delivery) throws {
        let simulation = Simulation {
            $0.recordsLimit = 600
            $0.bytesLimit = 2 << 20
            $0.delivery = delivery
        }
        simulation.makeParkingTopic()
        simulation.reply = { call in
            if call.endpoint == .side { return Self.refused(call) }
            return Reply(call.value == "poison" ? 503 : 200)
        }
        for index in 0..<40 { simulation.cluster.append("poison", key: "p\(index)") }
        for index in 0..<60 {
            let bulk = RecordHeader("bulk", [UInt8](repeating: 0, count: 80_000))
            simulation.cluster.append("side", key: "s\(index)", headers: [RecordHeader("side", ""), bulk])
        }
        for index in 0..<200 { simulation.cluster.append("sound", key: "k\(index)") }
        simulation.startWorker()
        let areSettled = try simulation.run(for: .seconds(60)) {
            simulation.cluster.fates()[100...].allSatisfy { $0 == "succeeded" }
        }
        #expect(areSettled)
        #expect(simulation.violations == [])
    }

    /// Where an endpoint is in doubt, records that never failed go first. A record that failed before it was parked is
    /// none of them when it comes back. One that failed where others succeeded says nothing about the endpoint then:
    /// such records once opened the breaker each time that it had closed.
    @Test(arguments: [0, 4])
    func aRecordThatFailedBeforeItWasParkedHasFailedWhenItComesBack(answeredOneIn share: Int64) throws {
        let simulation = Simulation { $0.recordsLimit = 50 }
        simulation.makeParkingTopic()
        var isDown = true
        simulation.reply = { call in
            let isAnswered = !isDown || share > 0 && call.offset % share == 0
            return Reply(isAnswered ? 200 : 500, after: .milliseconds(200))
        }
        let worker = simulation.startWorker()
        for index in 0..<200 { simulation.cluster.append("ok", key: "f\(index)") }
        /// By their offsets, whether records that failed and were not parked yet failed where others succeeded.
        var failed: [Int64: Bool] = [:]
        var cameBack: Set<Int64> = []
        for step in 0..<3_000 where cameBack.count < 10 {
            isDown = step < 600
            try simulation.run(for: .milliseconds(100))
            let table = worker.engine.table
            for id in table.ids where table[id].hasFailed || table[id].parking == .over {
                let (offset, hasFailed, failedAlone) = (
                    table[id].offset, table[id].hasFailed, table[id].failedAlone
                )
                guard table[id].parking == .over else {
                    failed[offset] = failedAlone
                    continue
                }
                guard let failedAloneBefore = failed[offset], cameBack.insert(offset).inserted else {
                    continue
                }
                #expect(hasFailed, "offset \(offset)")
                #expect(failedAlone == failedAloneBefore, "offset \(offset)")
                #expect(table[id].lastLane != nil, "offset \(offset)")
            }
        }
        #expect(cameBack.count >= 10)
        #expect(failed.values.contains(true) == (share > 0))
    }
}
