import ServiceKit
import Simulation
import Testing
import WorkerKit

/// Calls that hang until their timeout, more of them than slots would suffice for, beside a steady stream of honest
/// records.
struct HangingSceneTests {
    private typealias Reply = SimulatedUpstream.Reply

    /// Four records a second whose calls hang for ten seconds need forty slots, and there are sixteen. Before their first
    /// failure nothing tells them from others.
    @Test(arguments: EngineSettings.Pace.allCases)
    func callsThatHangLeaveSlotsToOthers(pace: EngineSettings.Pace) throws {
        let simulation = Simulation(partitions: 2) {
            $0.concurrency = 16
            $0.pace = pace
            $0.ordering = pace == .shadow ? .none : .key
            $0.recordsLimit = 200
        }
        simulation.makeParkingTopic()
        simulation.reply = { call in
            call.value == "hangs" ? .timeout(after: .seconds(10)) : Reply(200, after: .milliseconds(30))
        }
        let honest = HonestPublisher(simulation)
        honest.publish(perSecond: 20, for: .seconds(80))
        let worker = simulation.startWorker()
        try simulation.run(for: .seconds(5))
        for index in 0..<300 {
            simulation.after(.milliseconds(250 * index)) {
                simulation.cluster.append("hangs", key: "h\(index)", to: Int32(index % 2))
            }
        }
        for _ in 0..<85 {
            try simulation.run(for: .seconds(1))
            honest.look()
            worker.judgeSilence()
        }
        #expect(honest.judge.share(within: .seconds(5)) >= 0.99)
        #expect(Array(simulation.violations.prefix(3)) == [])
        #expect(worker.upstream.mostInFlight <= 16)
    }

    /// All records of a topic may hang at once. As soon as others are answered again, they need not wait for the rest.
    @Test func aBurstOfThemIsPassed() throws {
        let simulation = Simulation(partitions: 2) {
            $0.concurrency = 16
            $0.ordering = .none
        }
        simulation.makeParkingTopic()
        simulation.reply = { $0.value == "hangs" ? .timeout(after: .seconds(10)) : Reply(200) }
        let honest = HonestPublisher(simulation)
        honest.publish(perSecond: 20, for: .seconds(60))
        simulation.startWorker()
        try simulation.run(for: .seconds(5))
        for _ in 0..<100 { simulation.cluster.append("hangs", to: 1) }
        for _ in 0..<65 {
            try simulation.run(for: .seconds(1))
            honest.look()
        }
        #expect(honest.judge.share(within: .seconds(30)) == 1)
        #expect(Array(simulation.violations.prefix(3)) == [])
    }

    /// An upstream that becomes slow for everybody is not called twice for each record.
    @Test(arguments: [3, 9])
    func anUpstreamThatIsSlowForAllIsLeftAlone(seconds: Int) throws {
        let simulation = Simulation {
            $0.concurrency = 16
            $0.ordering = .none
        }
        var isSlow = false
        simulation.reply = { _ in Reply(200, after: isSlow ? .seconds(seconds) : .milliseconds(20)) }
        let honest = HonestPublisher(simulation, bound: .seconds(3_600))
        honest.publish(perSecond: 20, for: .seconds(60))
        let worker = simulation.startWorker()
        try simulation.run(for: .seconds(20))
        isSlow = true
        let (calls, records) = (worker.upstream.calls.count, simulation.cluster.inputs.count)
        try simulation.run(for: .seconds(1_200)) { simulation.cluster.isEverythingSettled }
        let further = simulation.cluster.inputs.count - records
        #expect(worker.upstream.calls.count - calls <= further + 48)
        #expect(simulation.cluster.isEverythingSettled)
        #expect(Array(simulation.violations.prefix(3)) == [])
    }

    /// Two of three servers behind one address hang, whichever record comes. No record is to blame, and none gets a dead
    /// letter.
    @Test func whereAPartOfAnUpstreamHangsNoRecordIsToBlame() throws {
        let simulation = Simulation {
            $0.concurrency = 16
            $0.ordering = .none
            $0.attempts = 5
        }
        var random = SplitMix64(seed: 3)
        var isIll = true
        simulation.reply = { _ in
            isIll && Int.random(in: 0..<3, using: &random) > 0 ? .timeout(after: .seconds(10)) : Reply(200)
        }
        let honest = HonestPublisher(simulation, bound: .seconds(3_600))
        honest.publish(perSecond: 10, for: .seconds(120))
        simulation.startWorker()
        try simulation.run(for: .seconds(150))
        #expect(simulation.cluster.letters.isEmpty)
        isIll = false
        try simulation.run(for: .seconds(600)) { simulation.cluster.isEverythingSettled }
        #expect(simulation.cluster.letters.isEmpty && simulation.cluster.isEverythingSettled)
        #expect(Array(simulation.violations.prefix(3)) == [])
    }

    /// A record that was only unlucky has all the time that it needs at its second call.
    @Test func whatWasCutShortHasAllItsTimeLater() throws {
        let simulation = Simulation {
            $0.concurrency = 8
            $0.ordering = .none
        }
        simulation.reply = { call in
            switch call.value {
            case "hangs": .timeout(after: .seconds(10))
            case "slow": Reply(200, after: .seconds(6))
            default: Reply(200)
            }
        }
        let honest = HonestPublisher(simulation)
        honest.publish(perSecond: 20, for: .seconds(90))
        let worker = simulation.startWorker()
        try simulation.run(for: .seconds(5))
        let slow = RecordName(partition: 0, offset: simulation.cluster.append("slow"))
        for _ in 0..<12 { simulation.cluster.append("hangs") }
        try simulation.run(for: .seconds(90)) { simulation.cluster.outcomes[slow]?.isEmpty == false }
        #expect(simulation.cluster.outcomes[slow]?.map(\.fate) == ["succeeded"])
        #expect(worker.upstream.starts(of: slow.offset).count == 2)
        #expect(Array(simulation.violations.prefix(3)) == [])
    }
}
