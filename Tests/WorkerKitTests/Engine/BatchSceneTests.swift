import Records
import Testing
import UpstreamHTTP

@testable import Simulation
@testable import WorkerKit

/// Records that share requests, of which some break every request that they are in.
struct BatchSceneTests {
    private typealias Reply = SimulatedUpstream.Reply

    /// The headers of a record that shares its request.
    private static let joined = [RecordHeader(SimulatedBatch.header, "")]

    /// Cuts the connection for the sake of one poison record.
    private static func reply(to call: SimulatedUpstream.Call, after latency: Duration) -> Reply {
        call.value == "poison"
            ? .failure(.cut, mayHaveBeenSent: true, after: latency) : Reply(200, after: latency)
    }

    /// Here three of four records are such ones, so no failure counts against its record. They once came back to full
    /// requests all the same, each time with records that had not failed yet.
    @Test(arguments: [false, true])
    func whatHasFailedSharesNoRequestWithFreshRecords(isParked: Bool) throws {
        let simulation = Simulation { $0.concurrency = 16 }
        if isParked {
            simulation.makeParkingTopic()
            simulation.settings.recordsLimit = 60
        }
        simulation.batches = SimulatedBatch.Limits(elements: 8, bytes: 4_000, requests: 4)
        simulation.reply = { Reply($0.value == "poison" ? 503 : 200, after: .milliseconds(50)) }
        let worker = simulation.startWorker()
        var (called, requests): (Set<RecordName>, Set<UInt64>) = ([], [])
        var (repeats, returns) = (0, 0)
        for step in 0..<4_000 {
            if step % 5 == 0, step < 3_000 {
                // A record with a request of its own shows at any time that the upstream is well.
                let isAlone = step % 25 == 0
                let header = RecordHeader(isAlone ? "alone" : SimulatedBatch.header, "")
                let isPoison = !isAlone && step % 20 != 5
                simulation.cluster.append(isPoison ? "poison" : "ok", key: "k\(step)", headers: [header])
            }
            try simulation.run(for: .milliseconds(10))
            // No request is over before the end of the step that it began in.
            for (id, calls) in worker.upstream.inFlight.sorted(by: { $0.key < $1.key })
            where requests.insert(id).inserted {
                let known = calls.count { called.contains($0.name) }
                #expect(known == 0 || known == calls.count, "\(calls.map(\.description))")
                called.formUnion(calls.map(\.name))
                repeats += known
            }
            let table = worker.engine.table
            returns += table.ids.count { table[$0].parking == .over && table[$0].hasFailed }
        }
        #expect(repeats > 100)
        #expect((returns > 0) == isParked)
        #expect(simulation.violations == [])
    }

    /// Records whose requests break leave those behind them untried. That once counted as a failure of these, so that a
    /// sound record among many such ones waited longer and longer and was never sent.
    @Test func whatWasNotTriedHasNotFailed() throws {
        let simulation = Simulation {
            $0.ordering = .none
            $0.concurrency = 24
            $0.attempts = 1_000
        }
        simulation.batches = SimulatedBatch.Limits(elements: 6, bytes: 4_000, requests: 4)
        simulation.reply = { Self.reply(to: $0, after: .milliseconds(20)) }
        let honest = HonestPublisher(simulation)
        honest.publish(perSecond: 100, for: .milliseconds(300), headers: Self.joined)
        for index in 0..<400 {
            simulation.cluster.append(index == 3 ? "ok" : "poison", key: "p\(index)", headers: Self.joined)
        }
        let worker = simulation.startWorker()
        var (mostFailures, mostAttempts) = (0, 0)
        for step in 0..<400 {
            // Records with requests of their own show at any time that the upstream is well.
            simulation.cluster.append("ok", key: "a\(step)", headers: [RecordHeader("alone", "")])
            try simulation.run(for: .milliseconds(100))
            honest.look()
            let table = worker.engine.table
            for id in table.ids where table[id].record.value == Array("ok".utf8) {
                mostFailures = max(mostFailures, table[id].failuresAlone)
                mostAttempts = max(mostAttempts, table[id].attempts)
            }
        }
        #expect(honest.judge.waiting == 0)
        var calls: [RecordName: Int] = [:]
        for call in worker.upstream.calls where call.value == "ok" { calls[call.name, default: 0] += 1 }
        #expect(calls.values.max() == 2, "in a request of six elements, then alone")
        #expect(mostFailures <= 1)
        #expect(mostAttempts <= 2, "what was not tried is no attempt")
        #expect(simulation.violations == [])
    }

    /// A simulation of two lanes that share their endpoint. Lane `b` has no token yet.
    private static func halfReady() -> Simulation {
        let simulation = Simulation { $0.ordering = .none }
        simulation.batches = SimulatedBatch.Limits(
            elements: 8,
            bytes: 4_000,
            requests: 4,
            unreadyLanes: ["b"]
        )
        for index in 0..<600 {
            let lane = RecordHeader("lane", index % 3 == 0 ? "a" : "b")
            simulation.cluster.append("record \(index)", key: "k\(index)", headers: Self.joined + [lane])
        }
        return simulation
    }

    /// One account without a token once opened the breaker, which is that of all accounts.
    @Test func aLaneThatIsNotReadyStopsNobodyElse() throws {
        let simulation = Self.halfReady()
        let worker = simulation.startWorker()
        var hasOpened = false
        for _ in 0..<3_000 {
            try simulation.run(for: .milliseconds(10))
            if worker.engine.dispatch.gates.endpoints[0].breaker.state != .closed { hasOpened = true }
        }
        #expect(!hasOpened)
        #expect(simulation.cluster.outcomes.values.joined().count == 200)
        #expect(worker.upstream.calls.allSatisfy { $0.lane == "a" })
        let table = worker.engine.table
        #expect(table.ids.count == 400)
        #expect(table.ids.allSatisfy { table[$0].countedFailures == 0 && table[$0].attempts <= 1 })
        simulation.kill(worker)
        simulation.batches?.unreadyLanes = []
        simulation.startWorker()
        #expect(try simulation.settleEverything(within: .seconds(600)))
        #expect(simulation.cluster.letters.isEmpty && simulation.violations == [])
    }

    /// A call that is not made says nothing of the upstream, so it ends no outage either.
    @Test func aLaneThatIsNotReadyClosesNoBreaker() throws {
        let simulation = Self.halfReady()
        simulation.reply = { _ in Reply(503, after: .milliseconds(20)) }
        let worker = simulation.startWorker()
        var (hasOpened, hasClosed) = (false, false)
        for _ in 0..<6_000 {
            try simulation.run(for: .milliseconds(10))
            let isClosed = worker.engine.dispatch.gates.endpoints[0].breaker.state == .closed
            hasClosed = hasClosed || hasOpened && isClosed
            hasOpened = hasOpened || !isClosed
        }
        #expect(hasOpened && !hasClosed)
        #expect(simulation.cluster.letters.isEmpty && simulation.violations == [])
    }

    /// A burst of records that break their requests opens the breaker. Each answered request once made the next one larger,
    /// so that sound records and probes failed beside these records, and the breaker stayed open.
    @Test func aBurstOfRecordsThatBreakTheirRequestsDelaysNobodyForLong() throws {
        let simulation = Simulation {
            $0.ordering = .none
            $0.concurrency = 9
        }
        simulation.batches = SimulatedBatch.Limits(elements: 2, bytes: 4_000, requests: 11)
        simulation.reply = { Self.reply(to: $0, after: .milliseconds(40)) }
        let honest = HonestPublisher(simulation)
        honest.publish(perSecond: 8, for: .seconds(60), headers: Self.joined)
        simulation.after(.seconds(2)) {
            for index in 0..<400 {
                simulation.cluster.append("poison", key: "p\(index)", headers: Self.joined)
            }
        }
        let worker = simulation.startWorker()
        var hasOpened = false
        for _ in 0..<9_000 {
            try simulation.run(for: .milliseconds(10))
            honest.look()
            if worker.engine.dispatch.gates.endpoints[0].breaker.state != .closed { hasOpened = true }
        }
        #expect(hasOpened)
        #expect(honest.judge.waiting == 0 && honest.judge.share(within: .seconds(5)) >= 0.99)
        #expect(simulation.violations == [])
    }
}
