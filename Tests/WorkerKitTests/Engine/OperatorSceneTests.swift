import Records
import Simulation
import Testing
import UpstreamHTTP

@testable import ServiceKit
@testable import WorkerKit

/// Orders of an operator, carried out by an engine beside a steady stream of honest records.
struct OperatorSceneTests {
    private typealias Reply = SimulatedUpstream.Reply

    private static func orders(_ change: (inout OperatorDesk.Orders) -> Void) -> OperatorDesk.Orders {
        var orders = OperatorDesk.Orders()
        change(&orders)
        return orders
    }

    @Test(arguments: EngineSettings.Delivery.allCases)
    func aPausedWorkerCallsNobodyAndSaysSo(delivery: EngineSettings.Delivery) throws {
        let simulation = Simulation(partitions: 2) { $0.delivery = delivery }
        simulation.reply = { _ in Reply(200, after: .milliseconds(500)) }
        let worker = simulation.startWorker()
        for index in 0..<20 { simulation.cluster.append("ok", key: "a\(index)", to: Int32(index % 2)) }
        try simulation.run(for: .milliseconds(300))
        worker.engine.obey(Self.orders { $0.choices.isPaused = true })
        let begun = worker.upstream.calls.count
        for index in 0..<20 { simulation.cluster.append("ok", key: "b\(index)", to: Int32(index % 2)) }
        #expect(worker.engine.unreadiness == "an operator has paused the worker")
        for _ in 0..<40 {
            try simulation.run(for: .seconds(1))
            worker.judgeSilence()
        }
        #expect(begun > 0 && worker.upstream.calls.count == begun)
        #expect(simulation.cluster.outcomes.count == begun)
        try worker.expectStandstill("paused", naming: "fleet admin resume")
        worker.engine.obey(Self.orders { _ in })
        #expect(try simulation.settleEverything())
        #expect(try simulation.run(for: .seconds(2)) { worker.engine.unreadiness == nil })
        #expect(simulation.violations == [])
    }

    /// Records of the lane fill the hands of the worker, and leave them for the parking topic.
    @Test func aPausedLaneLeavesTheOthersAlone() throws {
        let simulation = Simulation(partitions: 2) { $0.recordsLimit = 500 }
        simulation.makeParkingTopic()
        let honest = HonestPublisher(simulation)
        honest.publish(perSecond: 20, for: .seconds(60))
        let worker = simulation.startWorker()
        worker.engine.obey(Self.orders { $0.choices.lanes = ["b"] })
        for index in 0..<1_500 {
            simulation.cluster.append(
                "ok",
                key: "b\(index % 300)",
                to: Int32(index % 2),
                headers: [RecordHeader("lane", "b")]
            )
        }
        for _ in 0..<60 {
            try simulation.run(for: .seconds(1))
            honest.look()
        }
        #expect(honest.judge.share(within: .seconds(5)) == 1)
        #expect(!worker.upstream.calls.contains { $0.lane == "b" })
        #expect(simulation.cluster.tickets.count > 500)
        worker.engine.obey(Self.orders { _ in })
        #expect(try simulation.settleEverything())
        #expect(simulation.cluster.letters.isEmpty)
        #expect(simulation.violations == [])
    }

    @Test func aPausedEndpointLeavesTheOtherAlone() throws {
        let simulation = Simulation(partitions: 2)
        let honest = HonestPublisher(simulation)
        honest.publish(perSecond: 20, for: .seconds(60))
        let worker = simulation.startWorker()
        worker.engine.obey(Self.orders { $0.choices.endpoints = ["side"] })
        for index in 0..<100 {
            simulation.cluster.append("side", key: "s\(index)", headers: [RecordHeader("side", "")])
        }
        for _ in 0..<60 {
            try simulation.run(for: .seconds(1))
            honest.look()
        }
        #expect(honest.judge.share(within: .seconds(5)) == 1)
        #expect(!worker.upstream.calls.contains { $0.endpoint == .side })
        worker.engine.obey(Self.orders { _ in })
        #expect(try simulation.settleEverything())
        #expect(simulation.violations == [])
    }

    @Test func noMoreCallsAreInFlightThanChosen() throws {
        let simulation = Simulation(partitions: 2) { $0.ordering = .none }
        simulation.reply = { _ in Reply(200, after: .milliseconds(100)) }
        let worker = simulation.startWorker()
        worker.engine.obey(Self.orders { $0.choices.concurrency = 3 })
        for index in 0..<100 { simulation.cluster.append("ok", to: Int32(index % 2)) }
        var most = 0
        #expect(
            try simulation.run(for: .seconds(60)) {
                most = max(most, worker.engine.table.callsInFlight)
                return simulation.cluster.outcomes.count == 100
            }
        )
        #expect(most == 3)
    }

    /// A rate is chosen where the settings have none, another where they have one, and each is taken back.
    @Test(arguments: [nil, 100] as [Double?])
    func noMoreCallsBeginThanTheChosenRateAllows(settings: Double?) throws {
        let simulation = Simulation(partitions: 2) {
            $0.ordering = .none
            $0.rate = settings.map { RateLimit.Settings(rate: $0) }
        }
        simulation.reply = { _ in Reply(200, after: .milliseconds(10)) }
        let worker = simulation.startWorker()
        try simulation.run(for: .seconds(5))
        worker.engine.obey(Self.orders { $0.choices.rate = 5 })
        for index in 0..<5_000 { simulation.cluster.append("ok", to: Int32(index % 2)) }
        try simulation.run(for: .seconds(20))
        let calls = worker.upstream.calls.count
        #expect((95...105).contains(calls), "\(calls)")
        // An order that changes nothing gives no new credit.
        for number in 1...50 {
            worker.engine.obey(
                Self.orders {
                    $0.choices.rate = 5
                    $0.releases = number
                }
            )
        }
        try simulation.run(for: .seconds(2))
        #expect((8...16).contains(worker.upstream.calls.count - calls))
        worker.engine.obey(Self.orders { _ in })
        let before = worker.upstream.calls.count
        try simulation.run(for: .seconds(10))
        let after = worker.upstream.calls.count - before
        #expect(settings == nil ? after > 4_000 : (900...1_200).contains(after), "\(after)")
        #expect(try simulation.settleEverything())
        #expect(simulation.violations == [])
    }

    /// Without a rate nobody has asked for the number of partitions again, so the order asks.
    @Test func aChosenRateIsSharedByThePartitionsOfToday() throws {
        let simulation = Simulation(partitions: 2)
        let workers = [simulation.startWorker(), simulation.startWorker()]
        try simulation.run(for: .seconds(30))
        for _ in 0..<2 { simulation.cluster.grow() }
        try simulation.run(for: .seconds(120))
        for worker in workers {
            #expect(worker.engine.assignments.count == 2)
            worker.engine.obey(Self.orders { $0.choices.rate = 10 })
            #expect(worker.engine.dispatch.gates.pace.rate?.share == 0.5)
        }
    }

    /// A lower rate is no excuse for a burst, and what the upstream's throttling has left of the rate stays.
    @Test func aChosenRateKeepsBurstAndThrottling() {
        var settings = EngineSettings(
            inputTopic: "t",
            groupID: "g",
            worker: "w",
            workerVersion: "1",
            upstream: "u"
        )
        settings.rate = RateLimit.Settings(rate: 1_000, burst: 10)
        var pace = CallPace(settings, endpoints: 1)
        let second: Int64 = 1_000_000_000
        pace.shareChanged(to: 1, at: 0)
        pace.choose(rate: 500, at: second)
        var calls = 0
        while pace.nextByRate(at: 10 * second) == nil {
            pace.callStarted(slotsTaken: 1, at: 10 * second)
            calls += 1
        }
        #expect(calls == 10)
        let factor = pace.rate?.factor
        pace.choose(rate: 100, at: 11 * second)
        #expect(pace.rate?.factor == factor && pace.rate?.effectiveRate == 100 * (factor ?? 0))
        pace.choose(rate: nil, at: 12 * second)
        #expect(pace.rate?.effectiveRate == 1_000 * (factor ?? 0))
        pace.choose(rate: .infinity, at: 13 * second)
        #expect(pace.rate == nil)
        pace.choose(rate: nil, at: 14 * second)
        #expect(pace.rate != nil)
    }

    /// Settings that were read again can take the rate of the start away.
    @Test func anInfiniteRateIsNone() throws {
        let simulation = Simulation { $0.rate = RateLimit.Settings(rate: 1) }
        let worker = simulation.startWorker()
        worker.engine.obey(Self.orders { $0.choices.rate = .infinity })
        for index in 0..<300 { simulation.cluster.append("ok", key: "a\(index)") }
        #expect(try simulation.settleEverything(within: .seconds(60)))
        // The judge of rates knows only the settings.
        #expect(simulation.violations.allSatisfy { $0.contains("its share of the rate") })
    }

    @Test func theNextCallsOfALaneAreLogged() throws {
        let simulation = Simulation(partitions: 2)
        simulation.reply = { $0.lane == "b" ? Reply(503, after: .milliseconds(40)) : Reply(200) }
        let worker = simulation.startWorker()
        let order = OperatorDesk.CallLog(number: 1, lane: "b", calls: 5)
        worker.engine.obey(Self.orders { $0.callLog = order })
        for index in 0..<40 {
            let lane = index % 2 == 0 ? "a" : "b"
            simulation.cluster.append("ok", key: "k\(index)", headers: [RecordHeader("lane", lane)])
        }
        try simulation.run(for: .seconds(10))
        #expect(worker.log.count("call") == 5)
        #expect(Set(worker.log.values(of: "answer")) == ["503"])
        #expect(Set(worker.log.values(of: "verdict")) == ["retry"])
        #expect(Set(worker.log.values(of: "milliseconds")) == ["40"])
        // Lanes within a lane belong to it, and no others.
        worker.engine.obey(Self.orders { $0.callLog = .init(number: 9, lane: "b", calls: 100) })
        for lane in ["b/1", "bb", "c", ""] {
            simulation.cluster.append("ok", headers: [RecordHeader("lane", lane), RecordHeader("once", "")])
        }
        try simulation.run(for: .seconds(1))
        #expect(worker.log.values(of: "lane").contains("b/1"))
        #expect(Set(worker.log.values(of: "lane")).isSubset(of: ["b", "b/1"]))
        let before = worker.log.count("call")
        // Another order logs the calls of all lanes, and one for no calls ends the log.
        worker.engine.obey(Self.orders { $0.callLog = .init(number: 2, lane: nil, calls: 30) })
        for index in 0..<20 { simulation.cluster.append("ok", key: "l\(index)") }
        #expect(try simulation.run(for: .seconds(60)) { worker.log.count("call") == before + 30 })
        #expect(worker.log.values(of: "answer").contains("200"))
        worker.engine.obey(Self.orders { $0.callLog = .init(number: 3, lane: nil, calls: 10) })
        worker.engine.obey(Self.orders { $0.callLog = .init(number: 4, lane: nil, calls: 0) })
        for index in 0..<20 { simulation.cluster.append("ok", key: "m\(index)") }
        try simulation.run(for: .seconds(10))
        #expect(worker.log.count("call") == before + 30)
    }

    /// A lane that was held for five minutes, and a breaker that is open: both are mended, and nobody wants to wait.
    @Test func whatWaitsIsTriedAtOnce() throws {
        let simulation = Simulation(partitions: 2) {
            $0.lanes.firstPause = .seconds(300)
            $0.breaker.firstPause = .seconds(300)
            $0.breaker.longestPause = .seconds(300)
        }
        simulation.reply = { call in
            if call.endpoint == .side {
                return .failure(.connect, mayHaveBeenSent: false, after: .milliseconds(1))
            }
            return Reply(call.lane == "bad" ? 401 : 200)
        }
        let worker = simulation.startWorker()
        for index in 0..<50 {
            simulation.cluster.append("ok", key: "l\(index)", headers: [RecordHeader("lane", "bad")])
            simulation.cluster.append("side", key: "s\(index)", headers: [RecordHeader("side", "")])
        }
        try simulation.run(for: .seconds(20))
        #expect(worker.engine.dispatch.gates.lanes.heldNames == ["bad"])
        #expect(!worker.engine.dispatch.gates.endpoints.areAllClosed)
        simulation.reply = { _ in Reply(200) }
        try simulation.run(for: .seconds(5))
        #expect(worker.engine.dispatch.gates.lanes.heldNames == ["bad"])
        worker.engine.obey(Self.orders { $0.releases = 1 })
        try simulation.run(for: .seconds(5))
        #expect(worker.engine.dispatch.gates.lanes.heldNames == [])
        #expect(worker.engine.dispatch.gates.endpoints.areAllClosed)
        #expect(try simulation.settleEverything())
        #expect(simulation.violations == [])
    }
}
