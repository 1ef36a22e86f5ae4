import Logging
import Records
import Simulation
import Testing
import UpstreamHTTP
import WorkerTestSupport

@testable import ServiceKit
@testable import WorkerKit

/// The rules that keep a worker from doing harm: to the dead letters, to its upstream, to itself.
struct EngineGuardTests {
    // MARK: the dead-letter budget

    @Test func recordsThatWouldEmptyTheTopicIntoTheDeadLettersWaitAndOthersDoNot() throws {
        let simulation = Simulation(partitions: 2) {
            $0.budget.letters = 20
            $0.budget.window = .seconds(60)
        }
        for index in 0..<500 {
            let key = "k\(index)"
            simulation.cluster.append("undecodable", key: key, to: Int32(index % 2))
        }
        let worker = simulation.startWorker()
        try simulation.run(for: .seconds(50))
        #expect(simulation.cluster.letters.count == 20)
        let message = "dead-letter budget exhausted: records with this reason wait, and nothing is lost"
        #expect(worker.log.count(message) == 1)
        #expect(worker.engine.recordsInHand > 0)
        #expect(worker.engine.unreadiness?.contains("wait for the dead-letter budget of undecodable") == true)
        simulation.cluster.append("good")
        try simulation.run(for: .seconds(5))
        #expect(simulation.cluster.outcome(250)?.fate == "succeeded")
        #expect(simulation.cluster.letters.count == 20)
        #expect(simulation.violations == [])
    }

    @Test func itGoesOnAsFastAsTheBudgetAllowsAndLosesNothing() throws {
        let simulation = Simulation {
            $0.budget.letters = 20
            $0.budget.window = .seconds(60)
        }
        for _ in 0..<90 { simulation.cluster.append("undecodable") }
        simulation.cluster.append("good")
        simulation.startWorker()
        try simulation.run(for: .seconds(130))
        #expect(simulation.cluster.letters.count <= 60)
        #expect(simulation.cluster.letters.count >= 40)
        #expect(try simulation.settleEverything(within: .seconds(600)))
        #expect(simulation.cluster.letters.count == 90)
        #expect(simulation.violations == [])
    }

    @Test func deadLettersAmongManyGoodRecordsAreNoReasonToPause() throws {
        let simulation = Simulation {
            $0.budget.minimum = 10
            $0.budget.share = 0.5
        }
        for index in 0..<300 { simulation.cluster.append(index % 3 == 0 ? "undecodable" : "good") }
        simulation.startWorker()
        #expect(try simulation.settleEverything(within: .seconds(30)))
        #expect(simulation.cluster.letters.count == 100)
    }

    @Test func whatIsCondemnedIsGivenUpWithItsPartitionAndReadAgain() throws {
        let simulation = Simulation {
            $0.budget.letters = 1
            $0.budget.window = .seconds(60)
        }
        for _ in 0..<3 { simulation.cluster.append("undecodable") }
        simulation.startWorker()
        try simulation.run(for: .seconds(5))
        #expect(simulation.cluster.letters.count == 1)
        simulation.cluster.rebalance()
        #expect(try simulation.settleEverything(within: .seconds(600)))
        #expect(simulation.cluster.letters.count == 3)
        #expect(simulation.violations == [])
    }

    // MARK: the pace

    @Test func aFleetKeepsToItsRateHoweverManyItAre() throws {
        let simulation = Simulation(partitions: 4) { $0.rate = RateLimit.Settings(rate: 20, burst: 4) }
        for index in 0..<1_000 { simulation.cluster.append("\(index)", to: Int32(index % 4)) }
        for _ in 0..<3 { simulation.startWorker() }
        try simulation.run(for: .seconds(30))
        let calls = simulation.workers.flatMap(\.upstream.calls)
        // Three buckets with the call that each begins with, and what the fleet may do in 30 seconds.
        #expect(calls.count <= 20 * 30 + 4 + 3)
        #expect(calls.count >= 20 * 28)
        #expect(simulation.violations == [])
    }

    @Test func throttlingSlowsItDown() throws {
        let simulation = Simulation { $0.rate = RateLimit.Settings(rate: 26, burst: 1) }
        for index in 0..<5_000 { simulation.cluster.append("\(index)") }
        var recent: [Int64] = []
        simulation.reply = { call in
            recent = recent.filter { $0 > call.at - 1_000_000_000 } + [call.at]
            return SimulatedUpstream.Reply(recent.count > 20 ? 429 : 200)
        }
        let worker = simulation.startWorker()
        try simulation.run(for: .seconds(120))
        // Without the factor, one call in four would be refused for good.
        let late = worker.upstream.calls.filter { $0.at > 61_000_000_000 }
        #expect((60 * 12...60 * 22).contains(late.count), "\(late.count) calls in the second minute")
    }

    /// A storm slept through it, for up to a second.
    @Test func wakesWhenADipEndsAndItsCallsHang() throws {
        let simulation = Simulation {
            $0.pace = .adaptive
            $0.ordering = .none
            $0.concurrency = 40
        }
        simulation.reply = { _ in .init(200, after: .milliseconds(200)) }
        for index in 0..<15_000 { simulation.cluster.append("\(index)") }
        let worker = simulation.startWorker()
        func dipEnd() -> Int64? {
            let pace = worker.engine.dispatch.gates.pace
            return pace.dipEnd(at: simulation.clock.now.monotonic)
        }
        try #require(try simulation.run(for: .seconds(60)) { dipEnd() != nil })
        simulation.reply = { _ in .init(200, after: .seconds(600)) }
        try simulation.run(for: .milliseconds(300))
        let end = try #require(dipEnd())
        try simulation.run(for: .seconds(10))
        #expect(worker.upstream.calls.contains { $0.at == end })
    }

    @Test(arguments: [(EngineSettings.Pace.adaptive, 40...90), (.shadow, 200...200), (.fixed, 200...200)])
    func theAdaptiveLimitFindsWhatTheUpstreamTakes(pace: EngineSettings.Pace, allowed: ClosedRange<Int>)
        throws
    {
        let simulation = Simulation {
            $0.concurrency = 200
            $0.pace = pace
            $0.ordering = .none
        }
        for index in 0..<25_000 { simulation.cluster.append("\(index)") }
        // Forty servers that take 50 ms each, and a queue before them.
        var free = [Int64](repeating: 0, count: 40)
        simulation.reply = { call in
            let server = free.indices.min { free[$0] < free[$1] } ?? 0
            free[server] = max(free[server], call.at) + 50_000_000
            return SimulatedUpstream.Reply(200, after: .nanoseconds(free[server] - call.at))
        }
        let worker = simulation.startWorker()
        try simulation.run(for: .seconds(20))
        var most: [Int] = []
        for _ in 0..<50 {
            try simulation.run(for: .milliseconds(200))
            most.append(worker.upstream.inFlight.count)
        }
        let usual = most.sorted()[25]
        #expect(allowed.contains(usual), "\(usual) in flight")
        #expect(worker.upstream.calls.count >= 20_000)
    }

    // MARK: the head of the line

    @Test func aRecordThatAloneHoldsUpItsPartitionIsDeadLettered() throws {
        let simulation = Simulation {
            $0.concurrency = 512
            $0.ordering = .none
        }
        for index in 0..<18_000 { simulation.cluster.append("\(index)") }
        simulation.reply = {
            $0.offset == 0
                ? SimulatedUpstream.Reply(409, retryAfter: 3_000)
                : SimulatedUpstream.Reply(200, after: .milliseconds(1))
        }
        simulation.startWorker()
        #expect(try simulation.settleEverything(within: .seconds(30)))
        #expect(simulation.cluster.outcome(0)?.reason == "head_of_line")
        #expect(simulation.cluster.letters.count == 1)
        #expect(simulation.violations == [])
    }

    @Test func withARetryTopicItOnlyGoesThere() throws {
        let simulation = Simulation {
            $0.concurrency = 512
            $0.ordering = .none
            $0.retryTiers = [RetryTier(topic: "work.retry.5s", delay: .seconds(5))]
            $0.backoff = Backoff(base: .seconds(4), longest: .seconds(4))
        }
        for index in 0..<18_000 { simulation.cluster.append("\(index)") }
        simulation.reply = { call in
            call.offset == 0 && call.at < 20_000_000_000
                ? SimulatedUpstream.Reply(409) : SimulatedUpstream.Reply(200, after: .milliseconds(1))
        }
        simulation.startWorker()
        #expect(try simulation.settleEverything(within: .seconds(120)))
        #expect(simulation.cluster.outcome(0)?.fate == "succeeded")
        #expect(simulation.cluster.letters.isEmpty)
        #expect(simulation.violations == [])
    }

    @Test func aHeldRecordIsNeverTakenForTheHeadOfTheLine() throws {
        let simulation = Simulation {
            $0.concurrency = 512
            $0.ordering = .none
        }
        for index in 0..<18_000 {
            simulation.cluster.append("\(index)", headers: index == 0 ? [.init("lane", "b")] : [])
        }
        simulation.reply = {
            $0.lane == "b"
                ? SimulatedUpstream.Reply(401) : SimulatedUpstream.Reply(200, after: .milliseconds(1))
        }
        simulation.startWorker()
        try simulation.run(for: .seconds(60))
        #expect(simulation.cluster.letters.isEmpty)
        #expect(simulation.cluster.committedOffset() == 0)
    }

    // MARK: keys that pile up

    @Test func tooManyRecordsBehindOneKeySwitchItsOrderOff() throws {
        let simulation = Simulation { $0.bypass.threshold = 10 }
        simulation.cluster.append("stuck", key: "k")
        for index in 0..<30 { simulation.cluster.append("\(index)", key: "k") }
        simulation.cluster.append("other", key: "l")
        simulation.reply = {
            $0.value == "stuck" ? SimulatedUpstream.Reply(409, retryAfter: 600) : SimulatedUpstream.Reply(200)
        }
        let worker = simulation.startWorker()
        try simulation.run(for: .seconds(10))
        #expect(simulation.cluster.fates().count { $0 == "succeeded" } == 31)
        #expect(
            worker.log.count("order of a key switched off for a while: too many records wait behind one") == 1
        )
        #expect(simulation.cluster.violations == [])
    }

    @Test func fewerWaitInTheirOrder() throws {
        let simulation = Simulation { $0.bypass.threshold = 40 }
        simulation.cluster.append("stuck", key: "k")
        for index in 0..<30 { simulation.cluster.append("\(index)", key: "k") }
        simulation.reply = {
            $0.value == "stuck" ? SimulatedUpstream.Reply(409, retryAfter: 600) : SimulatedUpstream.Reply(200)
        }
        simulation.startWorker()
        try simulation.run(for: .seconds(10))
        #expect(simulation.cluster.fates().allSatisfy { $0 == nil })
    }

    // MARK: outcomes that nobody knows

    @Test func theHandlerLearnsHowManyCallsMayHaveBeenActedUpon() throws {
        let simulation = Simulation()
        simulation.cluster.append("count")
        var calls = 0
        simulation.reply = { _ in
            calls += 1
            return switch calls {
            case 1: .failure(.connect, mayHaveBeenSent: false, after: .milliseconds(5))
            case 2, 3: .failure(.cut, mayHaveBeenSent: true, after: .milliseconds(5))
            default: SimulatedUpstream.Reply(200)
            }
        }
        simulation.startWorker()
        #expect(try simulation.settleEverything(within: .seconds(60)))
        #expect(simulation.cluster.outcome(0)?.answer == "done, perhaps after 2 others")
    }

    // MARK: records that kill

    /// A worker that marks a record and does not come back was killed by that record.
    private static func die(of offset: Int64, in folder: TemporaryFolder) throws {
        let recorder = try CrashRecorder(folder: folder.path)
        recorder.mark(topic: SimulatedCluster.topic, partition: 0, offset: offset)
    }

    @Test func aRecordThatHasKilledThreeTimesIsNotHandledAgain() throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        for _ in 0..<3 { try Self.die(of: 1, in: folder) }
        for _ in 0..<2 { try Self.die(of: 2, in: folder) }
        let simulation = Simulation()
        for index in 0..<4 { simulation.cluster.append("\(index)") }
        let worker = simulation.startWorker(try CrashRecorder(folder: folder.path))
        #expect(try simulation.settleEverything(within: .seconds(10)))
        #expect(simulation.cluster.fates() == ["succeeded", "dead_lettered", "succeeded", "succeeded"])
        #expect(simulation.cluster.outcome(1)?.reason == "crash_loop")
        #expect(worker.upstream.starts(of: 1) == [])
        // Both are settled, so neither is held against anybody once the worker has heard of the commit.
        try simulation.run(for: .seconds(1))
        #expect(try CrashRecorder(folder: folder.path).hasDeaths == false)
    }

    /// A process that dies between the outcome and the commit would leave the record to be handled again.
    @Test func aSettledRecordIsForgivenOnlyOnceItIsCommitted() throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        for _ in 0..<3 { try Self.die(of: 1, in: folder) }
        let simulation = Simulation()
        for index in 0..<4 { simulation.cluster.append("\(index)") }
        simulation.startWorker(try CrashRecorder(folder: folder.path))
        #expect(try simulation.run(for: .seconds(10)) { simulation.cluster.isEverythingSettled })
        #expect(!simulation.cluster.isEverythingCommitted)
        #expect(try CrashRecorder(folder: folder.path).hasDeaths)
        #expect(try simulation.settleEverything(within: .seconds(10)))
        try simulation.run(for: .seconds(1))
        #expect(try CrashRecorder(folder: folder.path).hasDeaths == false)
    }
}
