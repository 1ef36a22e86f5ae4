import Kafka
import Records
import ServiceKit
import Simulation
import Testing
import UpstreamHTTP

@testable import WorkerKit

/// No record stops another: scenes of one bad record, client or destination beside a steady stream of honest records.
struct IsolationSceneTests {
    private typealias Reply = SimulatedUpstream.Reply

    // MARK: - Poison

    /// Twelve such records on a healthy upstream once kept the circuit breaker open for minutes: each probe was one of
    /// them.
    @Test(arguments: [12, 100, 1_000])
    func poisonPaysForItself(records: Int) throws {
        try self.playPoison(records) { Reply($0.value == "poison" ? 503 : 200) }
    }

    @Test func poisonOfEveryKindPaysForItself() throws {
        try self.playPoison(60) { call in
            guard call.value == "poison" else { return Reply(200) }
            switch call.offset % 5 {
            case 0: return .failure(.tooLarge, mayHaveBeenSent: true, after: .milliseconds(30))
            case 1: return .failure(.cut, mayHaveBeenSent: true, after: .milliseconds(10))
            case 2: return .failure(.malformed, mayHaveBeenSent: true, after: .milliseconds(10))
            case 3: return Reply(200, body: "<html>no</html>")
            default: return Reply(500)
            }
        }
    }

    /// Failures of such records once counted as signs of too many calls: the adaptive limit fell to its minimum, and
    /// all others had to wait.
    @Test func poisonLeavesTheAdaptiveLimitAlone() throws {
        let simulation = Simulation(partitions: 2) {
            $0.pace = .adaptive
            $0.concurrency = 16
            $0.ordering = .none
        }
        simulation.reply = { Reply($0.value == "poison" ? 503 : 200, after: .milliseconds(100)) }
        let honest = HonestPublisher(simulation)
        honest.publish(perSecond: 60, for: .seconds(60))
        let worker = simulation.startWorker()
        for _ in 0..<60 {
            for index in 0..<15 { simulation.cluster.append("poison", to: Int32(index % 2)) }
            try simulation.run(for: .seconds(1))
            honest.look()
        }
        #expect(honest.judge.share(within: .seconds(10)) >= 0.99)
        let limit = worker.engine.dispatch.gates.pace.callLimit(at: simulation.clock.now.monotonic)
        #expect(limit >= 9, "\(limit) calls at once, where 8 are needed")
    }

    private func playPoison(
        _ records: Int,
        reply: @escaping (SimulatedUpstream.Call) -> Reply
    ) throws {
        let simulation = Simulation(partitions: 2)
        simulation.reply = reply
        let honest = HonestPublisher(simulation)
        honest.publish(perSecond: 20, for: .seconds(500))
        simulation.startWorker()
        try simulation.run(for: .seconds(10))
        for index in 0..<records {
            simulation.cluster.append("poison", key: "p\(index)", to: Int32(index % 2))
        }
        try simulation.run(for: .seconds(520)) { !simulation.violations.isEmpty }
        #expect(honest.judge.share(within: .seconds(5)) >= 0.99)
        let letters = simulation.cluster.letters.values
        #expect(letters.count == records)
        #expect(letters.allSatisfy { Self.kind(of: $0) == "exhausted" })
        #expect(simulation.violations == [])
    }

    /// While an endpoint is in doubt, poison waits for it that came first. The next probes are not all taken from there:
    /// records that the worker has read since then are planned too.
    @Test func recordsThatNobodyHasPlannedAreProbesToo() throws {
        let simulation = Simulation {
            $0.concurrency = 16
            $0.breaker.longestPause = .seconds(20)
        }
        // The other endpoint is always at its limit, so that nobody is planned for its sake.
        simulation.sideRate = RateLimit.Settings(rate: 4, burst: 2)
        simulation.reply = { Reply($0.value == "poison" ? 503 : 200, after: .milliseconds(20)) }
        let honest = HonestPublisher(simulation)
        for index in 0..<400 {
            simulation.cluster.append("crowd", key: "s\(index)", headers: [RecordHeader("side", "")])
            if index < 60 { simulation.cluster.append("poison", key: "p\(index)") }
        }
        simulation.startWorker()
        try simulation.run(for: .seconds(10))
        honest.publish(perSecond: 100, for: .milliseconds(200))
        try simulation.run(for: .seconds(45))
        #expect(honest.judge.waiting == 0)
        #expect(simulation.violations == [])
    }

    /// A worker that takes over reads what lies first in the log. Where that is poison, it has to read on.
    @Test func poisonInFrontOfTheIntakeIsReadPast() throws {
        let simulation = Simulation {
            $0.ordering = .none
            $0.concurrency = 16
        }
        simulation.reply = { Reply($0.value == "poison" ? 503 : 200) }
        for _ in 0..<150 { simulation.cluster.append("poison") }
        let honest = HonestPublisher(simulation)
        honest.publish(perSecond: 20, for: .seconds(120))
        simulation.startWorker()
        for _ in 0..<125 {
            try simulation.run(for: .seconds(1))
            honest.look()
        }
        #expect(honest.judge.share(within: .seconds(5)) >= 0.9)
        #expect(simulation.violations == [])
    }

    /// After an outage, parked records come back in the order of their offsets. Poison among them fails again and
    /// again, and must not keep the others out.
    @Test func poisonDoesNotFillTheWayBackFromTheParkingTopic() throws {
        let simulation = Simulation {
            $0.ordering = .none
            $0.concurrency = 16
            $0.recordsLimit = 400
            $0.breaker.longestPause = .seconds(5)
        }
        simulation.makeParkingTopic()
        var isDown = true
        simulation.reply = { Reply(isDown || $0.value == "poison" ? 503 : 200, after: .milliseconds(50)) }
        for _ in 0..<600 { simulation.cluster.append("poison") }
        let honest = HonestPublisher(simulation)
        honest.publish(perSecond: 20, for: .seconds(120))
        simulation.startWorker()
        try simulation.run(for: .seconds(60))
        isDown = false
        honest.judge.excuse(from: 0, for: .seconds(66))
        for _ in 0..<90 {
            try simulation.run(for: .seconds(1))
            honest.look()
        }
        #expect(honest.judge.waiting == 0)
        #expect(simulation.violations == [])
    }

    /// Records of retry topics cannot be parked. After a takeover, poison that was due there once filled the hands, and
    /// no record of the input came in that could have shown the endpoint to be well. Then, while such copies crowded the
    /// hands, poison that came back from the parking topic was not parked again, and kept honest records behind it.
    @Test func copiesThatAreDueLeaveRoomToTheInput() throws {
        let simulation = Simulation {
            $0.ordering = .none
            $0.concurrency = 16
            $0.recordsLimit = 160
            $0.attempts = 1_000
            // Before the honest records there is poison alone, which looks like an outage.
            $0.breaker.longestPause = .seconds(5)
            // Long enough for the retry topic, and so short that parked poison stays in hand when it has come back.
            $0.backoff = Backoff(base: .milliseconds(5_500), longest: .milliseconds(5_500))
            $0.retryTiers = [RetryTier(topic: "work.retry.5s", delay: .seconds(5))]
        }
        simulation.makeParkingTopic()
        simulation.reply = { Reply($0.value == "poison" ? 503 : 200) }
        // Healthy records beside the poison show that it is at fault itself, so that it goes to the retry topic.
        let before = HonestPublisher(simulation)
        before.publish(perSecond: 20, for: .seconds(30))
        simulation.startWorker()
        for _ in 0..<600 { simulation.cluster.append("poison") }
        try simulation.run(for: .seconds(30))
        simulation.kill(simulation.worker)
        try simulation.run(for: .seconds(20))
        let worker = simulation.startWorker()
        try simulation.run(for: .seconds(5))
        #expect(worker.engine.table.count >= 120, "the copies have filled their part")
        let honest = HonestPublisher(simulation, bound: .seconds(20))
        honest.publish(perSecond: 20, for: .seconds(30), then: .seconds(40))
        for _ in 0..<65 {
            try simulation.run(for: .seconds(1))
            honest.look()
        }
        #expect(honest.judge.waiting == 0)
        #expect(simulation.violations == [])
    }

    /// Rejections that look like a fault of our configuration are one client's doing where all others are answered.
    @Test func suspectsOfOneClientHoldNobodysLane() throws {
        let simulation = Simulation()
        simulation.reply = { Reply($0.value == "suspect" ? 403 : 200) }
        let honest = HonestPublisher(simulation)
        honest.publish(perSecond: 20, for: .seconds(120))
        simulation.startWorker()
        try simulation.run(for: .seconds(5))
        for index in 0..<30 { simulation.cluster.append("suspect", key: "s\(index)") }
        for _ in 0..<120 {
            try simulation.run(for: .seconds(1))
            honest.look()
        }
        #expect(honest.judge.share(within: .seconds(30)) == 1)
        #expect(simulation.violations == [])
    }

    private static func kind(of letter: OutboundRecord) -> String? {
        letter.headers.first { $0.name == "dlq.class" }?.value.map { String(decoding: $0, as: UTF8.self) }
    }

    // MARK: - The dead-letter budget

    /// One client's malformed records once used up the budget of all: nobody was answered for five minutes.
    @Test func deadLettersOfOneReasonDelayNobodyElse() throws {
        let simulation = Simulation(partitions: 2)
        let honest = HonestPublisher(simulation, bound: .seconds(5))
        honest.publish(perSecond: 20, for: .seconds(120))
        let worker = simulation.startWorker()
        try simulation.run(for: .seconds(2))
        for index in 0..<150 {
            simulation.cluster.append("undecodable", key: "m\(index)", to: Int32(index % 2))
        }
        for _ in 0..<130 {
            try simulation.run(for: .seconds(1))
            honest.look()
            worker.judgeSilence()
        }
        #expect(honest.judge.share(within: .seconds(5)) == 1)
        #expect(simulation.violations == [])
        #expect(try simulation.settleEverything())
    }

    @Test func rejectionsOfOneLaneDelayNobodyElse() throws {
        let simulation = Simulation { $0.budget.letters = 20 }
        simulation.reply = { Reply($0.value == "wrong" ? 422 : 200) }
        let honest = HonestPublisher(simulation, bound: .seconds(5))
        honest.publish(perSecond: 20, for: .seconds(120))
        simulation.startWorker()
        for index in 0..<150 {
            let lane = [RecordHeader("lane", "bad")]
            simulation.cluster.append("wrong", key: "m\(index)", headers: lane)
        }
        try simulation.run(for: .seconds(125))
        #expect(honest.judge.share(within: .seconds(5)) == 1)
        #expect(simulation.violations == [])
    }

    // MARK: - Destinations

    /// Slots are shared too: an endpoint that answers, but only after ten seconds, must not hold them all.
    @Test func aSlowEndpointLeavesSlotsToTheOthers() throws {
        let simulation = Simulation { $0.concurrency = 16 }
        simulation.reply = { Reply(200, after: $0.endpoint == .side ? .seconds(10) : .milliseconds(20)) }
        let honest = HonestPublisher(simulation)
        honest.publish(perSecond: 20, for: .seconds(120))
        simulation.startWorker()
        for index in 0..<500 {
            simulation.after(.milliseconds(200 * index)) {
                let headers = [RecordHeader("side", "")]
                simulation.cluster.append("slow", key: "s\(index)", headers: headers)
            }
        }
        try simulation.run(for: .seconds(125))
        #expect(honest.judge.share(within: .seconds(30)) == 1)
        #expect(simulation.violations == [])
    }

    /// With four slots, an endpoint whose calls hang until their timeout leaves two to the other one, which needs more
    /// than one of them.
    @Test func aHangingEndpointSharesFewSlotsEvenly() throws {
        try self.playHangingEndpoint(slots: 4, honest: 25) { call in
            Reply(200, after: call.endpoint == .side ? .seconds(10) : .milliseconds(50))
        }
    }

    /// One call in four gets its answer at once, and that once made the endpoint a quick one, which may take all slots.
    @Test func aFewQuickAnswersMakeNoHangingEndpointQuick() throws {
        var slowCalls = 0
        try self.playHangingEndpoint(slots: 8, honest: 5) { call in
            guard call.endpoint == .side else { return Reply(200) }
            slowCalls += 1
            return slowCalls.isMultiple(of: 4) ? Reply(200) : .timeout(after: .seconds(10))
        }
    }

    /// Lets two hundred records of an endpoint hang beside honest ones of the other, which have to be done in 5 s.
    private func playHangingEndpoint(
        slots: Int,
        honest perSecond: Int,
        _ reply: @escaping (SimulatedUpstream.Call) -> Reply
    ) throws {
        let simulation = Simulation { $0.concurrency = slots }
        simulation.reply = reply
        let honest = HonestPublisher(simulation)
        honest.publish(perSecond: perSecond, for: .seconds(120))
        simulation.startWorker()
        for index in 0..<200 {
            simulation.cluster.append("slow", key: "s\(index)", headers: [RecordHeader("side", "")])
        }
        try simulation.run(for: .seconds(125))
        #expect(honest.judge.share(within: .seconds(5)) >= 0.99)
        #expect(simulation.violations == [])
    }

    /// Records whose calls to one endpoint hang until their timeout once took all the slots of records that fail where
    /// others succeed. A record of another endpoint, which one failure had made such a record, waited for them.
    @Test func whatHangsLeavesSlotsToWhatFailedElsewhere() throws {
        let simulation = Simulation { $0.concurrency = 8 }
        var failed: Set<Int64> = []
        simulation.reply = { call in
            switch call.value {
            case "hangs": .timeout(after: .seconds(10))
            case "fails once" where failed.insert(call.offset).inserted: Reply(503)
            default: Reply(200)
            }
        }
        simulation.startWorker()
        let side = [RecordHeader("side", "")]
        for step in 0..<600 {
            if step % 10 == 0 { simulation.cluster.append("hangs", key: "h\(step)", headers: side) }
            simulation.cluster.append("ok", key: "s\(step)", headers: side)
            simulation.cluster.append(step % 20 == 0 ? "fails once" : "ok", key: "k\(step)")
            try simulation.run(for: .milliseconds(200))
        }
        try simulation.run(for: .seconds(10))
        let waits = failed.map { offset in
            let starts = simulation.worker.upstream.starts(of: offset)
            return (starts.dropFirst().first ?? .infinity) - (starts.first ?? 0)
        }
        #expect(waits.count == 30)
        #expect(waits.allSatisfy { $0 < 3 }, "\(waits.sorted())")
        #expect(simulation.violations == [])
    }

    // MARK: - Sizes

    /// An outcome that repeats a key as large as the broker's limit does not fit, and one that carries a large answer
    /// does not either: each has a smaller form, also in a transaction.
    @Test(arguments: EngineSettings.Delivery.allCases, ["long key", "large answer"])
    func whatIsTooLargeForTheBrokerStopsNobody(delivery: EngineSettings.Delivery, trouble: String) throws {
        let simulation = Simulation {
            $0.delivery = delivery
            $0.messageBytesLimit = 20_000
        }
        simulation.cluster.messageLimit = 20_000
        simulation.reply = { Reply($0.value == "much" ? 207 : 200) }
        let honest = HonestPublisher(simulation)
        honest.publish(perSecond: 20, for: .seconds(60))
        let worker = simulation.startWorker()
        try simulation.run(for: .seconds(1))
        if trouble == "long key" {
            simulation.cluster.append("ok", key: String(repeating: "k", count: 19_950))
            simulation.cluster.append("undecodable", key: String(repeating: "k", count: 19_940))
        } else {
            simulation.cluster.append("much", key: "m")
        }
        for _ in 0..<70 {
            try simulation.run(for: .seconds(1))
            honest.look()
            worker.judgeSilence()
        }
        #expect(honest.judge.share(within: .seconds(30)) == 1)
        #expect(try simulation.settleEverything(within: .seconds(60)))
        #expect(simulation.violations == [])
    }
}
