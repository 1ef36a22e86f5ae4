import Operations
import Records
import Simulation
import Testing

@testable import WorkerKit

/// An upstream of two endpoints, of which one has trouble.
struct EngineEndpointTests {
    private typealias Reply = SimulatedUpstream.Reply

    private static let second: Int64 = 1_000_000_000
    private static let side = [RecordHeader("side", "")]

    @Test func anOutageOfOneLeavesTheOtherAlone() throws {
        let simulation = Simulation(partitions: 2) {
            $0.attempts = 3
            $0.concurrency = 4
        }
        for index in 0..<600 {
            simulation.after(.milliseconds(100 * index)) {
                let headers = index % 3 == 0 ? Self.side : []
                simulation.cluster.append("\(index)", to: Int32(index % 2), headers: headers)
            }
        }
        let end = 3_600 * Self.second
        simulation.reply = { $0.endpoint == .side && $0.at < end ? Reply(503) : Reply(200) }
        let worker = simulation.startWorker()
        try simulation.run(for: .seconds(70))
        let fates = simulation.cluster.fates() + simulation.cluster.fates(in: 1)
        #expect(fates.count { $0 == "succeeded" } == 400)
        let main = worker.upstream.calls.filter { $0.endpoint == .main }
        // No call to the main endpoint had to wait for more than the slots that the first calls to the side
        // took.
        #expect(zip(main, main.dropFirst()).allSatisfy { $1.at - $0.at < Self.second })
        #expect(worker.log.count("circuit breaker open") > 0)
        #expect(try simulation.settleEverything(within: .seconds(3_600)))
        #expect(simulation.cluster.letters.isEmpty)
        // Ten failures, and then three probes after each pause of 15 to 30 s.
        #expect(worker.upstream.calls.filter { $0.endpoint == .side && $0.at < end }.count < 700)
        #expect(simulation.violations == [])
        #expect(worker.isEmpty)
    }

    /// The metric and the log say which failure has opened a breaker, until it is closed.
    @Test func anOpenBreakerHasItsReason() throws {
        let simulation = Simulation { $0.concurrency = 8 }
        let registry = PrometheusRegistry()
        simulation.metrics = registry
        let end = 20 * Self.second
        simulation.reply = { $0.at < end ? Reply(503) : Reply(200, after: .milliseconds(50)) }
        for index in 0..<200 { simulation.cluster.append("\(index)") }
        let worker = simulation.startWorker()
        let openings = {
            registry.exposition().split(separator: "\n").filter { $0.hasPrefix("worker_circuit_open{") }
        }
        #expect(try simulation.run(for: .seconds(10)) { worker.log.count("circuit breaker open") > 0 })
        let shown = openings()
        #expect(
            shown.count == 1 && shown.allSatisfy { $0.contains("reason=\"") && $0.hasSuffix(" 1") },
            "\(shown)"
        )
        #expect(worker.log.values(of: "reason").count == worker.log.count("circuit breaker open"))
        #expect(try simulation.settleEverything(within: .seconds(600)))
        #expect(openings().isEmpty)
        #expect(simulation.violations == [])
    }

    /// A breaker that lets several probes through has become half-open once, not once for each probe.
    @Test func aBreakerIsCountedOnceForEachChangeOfItsState() throws {
        let simulation = Simulation { $0.concurrency = 8 }
        let registry = PrometheusRegistry()
        simulation.metrics = registry
        let end = 20 * Self.second
        simulation.reply = { $0.at < end ? Reply(503) : Reply(200, after: .milliseconds(50)) }
        for index in 0..<200 { simulation.cluster.append("\(index)") }
        let worker = simulation.startWorker()
        #expect(try simulation.settleEverything(within: .seconds(600)))
        let lines = registry.exposition().split(separator: "\n")
        let count = { (state: String) in
            lines.first {
                $0.hasPrefix("worker_circuit_transitions_total{") && $0.contains("to=\"\(state)\"")
            }
            .flatMap { $0.split(separator: " ").last.flatMap { Int($0) } }
        }
        let (closed, halfOpen, open) = (count("closed"), count("half_open"), count("open"))
        #expect(open == worker.log.count("circuit breaker open"))
        #expect(closed == worker.log.count("circuit breaker closed"))
        // Each pause of an open breaker ends half-open, and the breaker then opens again or closes.
        #expect(halfOpen == open)
        #expect(simulation.violations == [])
    }

    @Test func retryAfterOfOneStopsNoCallToTheOther() throws {
        let simulation = Simulation { $0.concurrency = 2 }
        for index in 0..<40 {
            simulation.cluster.append("\(index)", headers: index % 2 == 0 ? Self.side : [])
        }
        simulation.reply = {
            $0.offset == 10 && $0.at < 10 * Self.second ? Reply(429, retryAfter: 30) : Reply(200)
        }
        let worker = simulation.startWorker()
        try simulation.run(for: .seconds(20))
        #expect(
            simulation.cluster.fates().enumerated().allSatisfy { $0.offset % 2 == 0 || $0.element != nil }
        )
        #expect(simulation.cluster.fates().contains(nil))
        #expect(try simulation.settleEverything(within: .seconds(20)))
        let side = worker.upstream.calls.filter { $0.endpoint == .side }.map { Double($0.at) / 1e9 - 1 }
        #expect(!side.contains { $0 > 0.5 && $0 < 30 })
        #expect(simulation.violations == [])
    }

    @Test func oneHasARateOfItsOwnThatSecondCallsKeepToo() throws {
        let simulation = Simulation()
        simulation.sideRate = RateLimit.Settings(rate: 5, burst: 1)
        for index in 0..<100 { simulation.cluster.append("elsewhere \(index)") }
        for index in 0..<100 { simulation.cluster.append("\(index)") }
        simulation.reply = { $0.value.hasPrefix("elsewhere") && !$0.isFollowUp ? Reply(303) : Reply(200) }
        let worker = simulation.startWorker()
        try simulation.run(for: .seconds(4))
        #expect(worker.upstream.calls.count { $0.endpoint == .main } == 200)
        #expect((18...21).contains(worker.upstream.calls.count { $0.endpoint == .side }))
        #expect(try simulation.settleEverything(within: .seconds(20)))
        // Each went on where it was, and was not planned anew.
        #expect(worker.upstream.calls.count == 300)
        #expect(simulation.seconds > 19)
        #expect(simulation.violations == [])
    }

    @Test func theRateOfOneIsSharedByTheFleet() throws {
        let simulation = Simulation(partitions: 4)
        simulation.sideRate = RateLimit.Settings(rate: 8, burst: 1)
        for index in 0..<400 {
            simulation.cluster.append("\(index)", to: Int32(index % 4), headers: Self.side)
        }
        for _ in 0..<2 { simulation.startWorker() }
        try simulation.run(for: .seconds(20))
        let calls = simulation.workers.map(\.upstream.calls.count)
        #expect(calls.allSatisfy { (60...90).contains($0) }, "\(calls)")
        #expect(simulation.violations == [])
    }

    @Test func aRecordThatWaitsForOneExpiresInTime() throws {
        let simulation = Simulation { $0.deadline = .seconds(30) }
        for index in 0..<20 { simulation.cluster.append("\(index)", headers: Self.side) }
        simulation.reply = { _ in Reply(503) }
        let worker = simulation.startWorker()
        try simulation.run(for: .seconds(32))
        #expect(simulation.cluster.fates().allSatisfy { $0 == "expired" })
        #expect(worker.isEmpty)
        #expect(simulation.violations == [])
    }

    @Test func whatWaitsForOneIsGivenUpWithItsPartitionAndDoneByTheNext() throws {
        let simulation = Simulation(partitions: 2)
        for index in 0..<100 {
            simulation.cluster.append("elsewhere \(index)", to: Int32(index % 2))
        }
        simulation.reply = { call in
            if call.endpoint == .main { return Reply(303) }
            return call.at < 20 * Self.second ? Reply(503) : Reply(200)
        }
        simulation.startWorker()
        simulation.after(.seconds(10)) { simulation.startWorker() }
        #expect(try simulation.settleEverything(within: .seconds(120)))
        #expect(simulation.cluster.letters.isEmpty)
        #expect(simulation.violations == [])
    }

    /// Failures at the side count against a record by how others fare at the side, and not by how they fare elsewhere.
    @Test(arguments: [true, false])
    func whoIsToBlameIsFoundWhereItFailed(othersFareWell: Bool) throws {
        let simulation = Simulation { $0.attempts = 4 }
        simulation.cluster.append("elsewhere poison")
        for index in 0..<600 {
            simulation.after(.milliseconds(500 * index)) {
                simulation.cluster.append(
                    "\(index)",
                    headers: othersFareWell && index % 2 == 0 ? Self.side : []
                )
            }
        }
        simulation.reply = { call in
            guard call.value == "elsewhere poison" else { return Reply(200) }
            return call.endpoint == .main ? Reply(303) : Reply(500)
        }
        simulation.startWorker()
        try simulation.run(for: .seconds(300))
        #expect(simulation.cluster.letters.count == (othersFareWell ? 1 : 0))
        #expect(simulation.violations == [])
    }
}
