import Records
import Simulation
import Testing

@testable import ServiceKit
@testable import WorkerKit

/// An upstream that fails often but not always.
struct EngineBrownOutTests {
    private typealias Reply = SimulatedUpstream.Reply

    private static let hour: Int64 = 3_600_000_000_000

    /// Fails such a share of its calls for an hour, by chance or in turns of some seconds.
    private static func brownOut(of share: Double, inTurnsOf seconds: Double?) -> Simulation {
        let simulation = Simulation(partitions: 2)
        var random = SplitMix64(seed: UInt64(share * 100))
        simulation.reply = { call in
            let time = call.at - 1_000_000_000
            guard time < Self.hour else { return Reply(200) }
            let isDown =
                if let seconds {
                    (Double(time) / 1e9).truncatingRemainder(dividingBy: seconds) < share * seconds
                } else {
                    Double.random(in: 0..<1, using: &random) < share
                }
            let latency = Duration.milliseconds(Int.random(in: 5...150, using: &random))
            return isDown ? Reply(503, after: latency) : Reply(200, after: latency)
        }
        for index in 0..<1_800 {
            simulation.after(.seconds(2 * index)) {
                simulation.cluster.append("\(index)", to: Int32(index % 2))
            }
        }
        return simulation
    }

    /// A record that is a probe again and again has a backoff as long as the outage, for a fault that was not its own.
    @Test func whoProbedInAnOutageIsNotLateAfterIt() throws {
        let simulation = Simulation()
        var isDown = true
        simulation.reply = { _ in Reply(isDown ? 503 : 200) }
        let worker = simulation.startWorker()
        for index in 0..<5 { simulation.cluster.append("probe \(index)") }
        try simulation.run(for: .seconds(1_800))
        #expect(simulation.cluster.fates() == [nil, nil, nil, nil, nil])
        isDown = false
        for index in 0..<20 { simulation.cluster.append("fresh \(index)") }
        #expect(
            try simulation.run(for: .seconds(60)) { worker.log.count("circuit breaker closed") > 0 }
        )
        #expect(try simulation.settleEverything(within: .seconds(2)))
        #expect(simulation.violations == [])
    }

    @Test(arguments: [0.3, 0.5, 0.7, 0.9], [nil, 10] as [Double?])
    func anHourOfItDeadLettersNothing(share: Double, seconds: Double?) throws {
        let simulation = Self.brownOut(of: share, inTurnsOf: seconds)
        let worker = simulation.startWorker()
        try simulation.run(for: .seconds(3_600))
        let settled = simulation.cluster.fates().count { $0 != nil } * 2
        let openings = worker.log.count("circuit breaker open")
        #expect(openings < 10 * 60)
        #expect(try simulation.settleEverything(within: .seconds(600)))
        #expect(simulation.cluster.letters.isEmpty)
        #expect(simulation.violations == [])
        Report.note(
            "brown-out of \(share), turns of \(seconds ?? 0) s",
            [
                "dead letters \(simulation.cluster.letters.count)",
                "openings a minute \(Double(openings) / 60)",
                "settled within the hour about \(settled) of 1800",
                "calls \(worker.upstream.calls.count)", "all settled after \(simulation.seconds) s",
            ]
        )
    }

    @Test func aFewRecordsAloneInABrownOutAreNotBlamed() throws {
        for share in [0.3, 0.5, 0.7, 0.9] {
            for seed: UInt64 in 0..<4 {
                let simulation = Simulation { $0.attempts = 5 }
                var random = SplitMix64(seed: seed)
                simulation.reply = { call in
                    call.at < Self.hour && Double.random(in: 0..<1, using: &random) < share
                        ? Reply(503) : Reply(200)
                }
                for index in 0..<300 {
                    simulation.after(.seconds(12 * index)) { simulation.cluster.append("\(index)") }
                }
                simulation.startWorker()
                try simulation.run(for: .seconds(3_700))
                #expect(simulation.cluster.letters.isEmpty, "\(share), seed \(seed)")
            }
        }
    }

    /// How fast the poison fails, how often somebody healthy comes, and the most attempts: where few others come
    /// along between two of them, not every failure counts.
    @Test(arguments: [(1_000, 200, 10), (20, 200, 16), (20, 2_000, 24), (20, 20_000, 60)])
    func aPoisonRecordAmongHealthyOnesIsExhausted(latency: Int, gap: Int, most: Int) throws {
        let simulation = Simulation()
        simulation.reply = {
            $0.value == "poison" ? Reply(500, after: .milliseconds(latency)) : Reply(200)
        }
        simulation.cluster.append("poison")
        for index in 0..<(4_000_000 / gap) {
            simulation.after(.milliseconds(gap * index)) { simulation.cluster.append("ok") }
        }
        simulation.startWorker()
        try simulation.run(for: .seconds(4_000)) { simulation.cluster.outcome(0) != nil }
        let outcome = try #require(simulation.cluster.outcome(0))
        #expect(outcome.fate == "dead_lettered")
        #expect(simulation.cluster.letters.values.first?.header("dlq.class") == "exhausted")
        #expect((10...most).contains(outcome.attempts))
        #expect(simulation.violations == [])
        Report.note(
            "poison of \(latency) ms, others every \(gap) ms",
            [
                "attempts \(outcome.attempts)", "after \(simulation.seconds) s",
            ]
        )
    }

    @Test func manyPoisonRecordsDoNotMakeAHealthyUpstreamLookIll() throws {
        let simulation = Simulation()
        simulation.reply = { $0.value == "poison" ? Reply(500) : Reply(200) }
        for index in 0..<6_000 {
            let value = index % 25 == 0 && index < 2_500 ? "poison" : "ok"
            simulation.after(.milliseconds(100 * index)) { simulation.cluster.append(value) }
        }
        simulation.startWorker()
        try simulation.run(for: .seconds(1_500)) { simulation.cluster.letters.count == 100 }
        #expect(simulation.cluster.letters.count == 100)
        #expect(simulation.violations == [])
    }

    @Test func nearlyAllCallsFailingOpensTheBreakerThoughNeverTenInARow() throws {
        let simulation = Simulation { $0.concurrency = 8 }
        var count = 0
        simulation.reply = { _ in
            count += 1
            return count % 8 == 0 ? Reply(200) : Reply(503)
        }
        for index in 0..<600 {
            simulation.after(.milliseconds(50 * index)) { simulation.cluster.append("\(index)") }
        }
        let worker = simulation.startWorker()
        let opens = try simulation.run(for: .seconds(9)) { worker.log.count("circuit breaker open") > 0 }
        #expect(opens)
        #expect((50...120).contains(worker.upstream.calls.count))
    }
}
