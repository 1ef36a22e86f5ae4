import Records
import Simulation
import Testing
import UpstreamHTTP
import WireFormats

@testable import ServiceKit
@testable import WorkerKit

/// Records that are good for a moment only: giving up, calls that do not keep, second tries.
struct EngineUrgencyTests {
    private typealias Reply = SimulatedUpstream.Reply

    @Test func givingUpSettlesAtOnceAndCountsForTheBreaker() throws {
        let simulation = Simulation { $0.concurrency = 1 }
        for index in 0..<30 { simulation.cluster.append("\(index)") }
        simulation.reply = { _ in Reply(410) }
        let worker = simulation.startWorker()
        try simulation.run(for: .milliseconds(900))
        // Ten failures in a row open the breaker: an answer would have kept it closed.
        #expect(worker.upstream.calls.count == 10)
        let outcomes = (0..<10).compactMap { simulation.cluster.outcome($0) }
        #expect(outcomes.count == 10)
        #expect(
            outcomes.allSatisfy {
                $0.fate == "rejected" && $0.reason == "http.410" && $0.answer == "too late"
            }
        )
        #expect(worker.upstream.starts(of: 0).count == 1)
        #expect(simulation.cluster.letters.isEmpty)
        #expect(simulation.violations == [])
    }

    @Test func aPerishableCallThatCannotBeMadeAtOnceIsPlannedAnew() throws {
        for (status, path) in [(301, "planned anew"), (300, "kept")] {
            let simulation = Simulation { $0.concurrency = 4 }
            simulation.cluster.append("first asks twice")
            simulation.cluster.append("second closes the gate")
            var asked = 0
            simulation.reply = { call in
                switch call.offset {
                case 0 where asked == 0:
                    asked += 1
                    return Reply(status, after: .milliseconds(50))
                case 1 where call.at < 5_000_000_000:
                    return Reply(429, after: .milliseconds(10), retryAfter: 20)
                default: return Reply(200)
                }
            }
            let worker = simulation.startWorker()
            #expect(try simulation.settleEverything(within: .seconds(60)))
            let calls = worker.upstream.calls.filter { $0.offset == 0 }
            #expect(calls.count == 2, "\(path)")
            #expect(calls.last?.isFollowUp == (status == 300), "\(path)")
            #expect(simulation.violations == [])
        }
    }

    /// A second try after a refusal of the configuration's is no sign that the lane is well: it stays held.
    @Test func aSecondTryDoesNotOpenAHeldLane() throws {
        let simulation = Simulation()
        for index in 0..<20 { simulation.cluster.append("\(index)") }
        var calls = 0
        simulation.reply = { call in
            calls += 1
            // The first holds the lane; every probe after it is told to try once more, and then refused.
            return calls == 1 ? Reply(401) : Reply(302)
        }
        let worker = simulation.startWorker()
        try simulation.run(for: .seconds(120))
        #expect(worker.log.count("lane open again") == 0)
        #expect(simulation.cluster.fates().compactMap(\.self).isEmpty)
        simulation.reply = { _ in Reply(200) }
        #expect(try simulation.settleEverything(within: .seconds(600)))
        #expect(worker.log.count("lane open again") == 1)
        #expect(simulation.violations == [])
    }

    @Test func theHandlerSaysWhatAnExpiredRecordsResultHolds() throws {
        let simulation = Simulation { $0.deadline = .seconds(10) }
        simulation.cluster.append("tried")
        simulation.reply = { _ in Reply(503) }
        simulation.startWorker()
        #expect(try simulation.settleEverything(within: .seconds(60)))
        let outcome = try #require(simulation.cluster.outcome(0))
        #expect(outcome.fate == "expired" && outcome.answer == "tried")
    }

    @Test func anUrgentWorkerHurries() {
        var settings = EngineSettings(
            inputTopic: "t",
            groupID: "g",
            worker: "w",
            workerVersion: "1",
            upstream: "u"
        )
        let ordinary = settings
        Haste.ordinary.apply(to: &settings)
        #expect(settings == ordinary)
        Haste.urgent.apply(to: &settings)
        #expect(settings.backoff == Backoff(base: .milliseconds(200), longest: .seconds(2)))
        #expect(settings.breaker.longestPause < ordinary.breaker.longestPause)
        #expect(Haste.urgent.linger < Haste.ordinary.linger)
    }
}
