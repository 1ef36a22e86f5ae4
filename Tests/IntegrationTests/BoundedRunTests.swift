import Foundation
import Records
import Testing
import UpstreamSimulator

/// `run --until`: a run that reads a part of its input, settles it, and ends by itself.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct BoundedRunTests {
    private func worker(
        _ cluster: TestCluster,
        _ gdt: RunningSimulator,
        until bound: String,
        more: String = ""
    ) throws -> WorkerUnderTest {
        try WorkerUnderTest(
            cluster,
            upstream: "http://127.0.0.1:\(gdt.port)",
            more: more,
            command: ["run", "--until", bound]
        )
    }

    /// Reads the results once the worker has ended: what it wrote is there, and nothing comes any more.
    private func results(of cluster: TestCluster, _ count: Int) throws -> Int {
        let results = try TopicContents(cluster.results, cluster)
        _ = results.read(outcomes: count)
        _ = results.read(atMost: .seconds(1)) { $0.count > count }
        return results.records.count
    }

    @Test func theEndIsThatOfTheStart() async throws {
        let cluster = try await TestCluster.transactional()
        let gdt = try await GDTSimulator.start(Activations.simulatorSettings)
        try cluster.publish((0..<300).map { Activations.good($0, to: cluster.input) })
        let first = try self.worker(cluster, gdt, until: "end")
        #expect(first.exitStatus() == 0, "\(first.log)")
        #expect(try self.results(of: cluster, 300) == 300)
        // Everything was committed: the next run has only the new records to do.
        try cluster.publish((300..<400).map { Activations.good($0, to: cluster.input) })
        let second = try self.worker(cluster, gdt, until: "end")
        #expect(second.exitStatus() == 0, "\(second.log)")
        #expect(try self.results(of: cluster, 400) == 400)
        // With nothing to do, a run ends as well.
        let third = try self.worker(cluster, gdt, until: "end")
        #expect(third.exitStatus() == 0, "\(third.log)")
        #expect(gdt.stats().accepted == 400)
        #expect(gdt.stats().duplicates == 0)
        await gdt.stop()
        try await cluster.end()
    }

    @Test func recordsThatAreNotOlderThanTheTimeAreLeft() async throws {
        let cluster = try await TestCluster.transactional()
        let gdt = try await GDTSimulator.start(Activations.simulatorSettings)
        func publish(_ range: Range<Int>, secondsAgo age: Double) throws {
            let time = Int64((Date().timeIntervalSince1970 - age) * 1_000)
            try cluster.publish(
                range.map {
                    var record = Activations.good($0, to: cluster.input)
                    record.timestamp = time
                    return record
                }
            )
        }
        try publish(0..<100, secondsAgo: 120)
        try publish(100..<200, secondsAgo: 30)
        let time = ISO8601DateFormatter().string(from: .now.addingTimeInterval(-75))
        let worker = try self.worker(cluster, gdt, until: time)
        #expect(worker.exitStatus() == 0, "\(worker.log)")
        #expect(try self.results(of: cluster, 100) == 100)
        let rest = try self.worker(cluster, gdt, until: "end")
        #expect(rest.exitStatus() == 0, "\(rest.log)")
        #expect(try self.results(of: cluster, 200) == 200)
        #expect(gdt.stats().duplicates == 0)
        await gdt.stop()
        try await cluster.end()
    }

    @Test func anOffsetEndsEachPartition() async throws {
        let cluster = try await TestCluster.transactional(partitions: 1)
        let gdt = try await GDTSimulator.start(Activations.simulatorSettings)
        try cluster.publish((0..<50).map { Activations.good($0, to: cluster.input) })
        let worker = try self.worker(cluster, gdt, until: "20")
        #expect(worker.exitStatus() == 0, "\(worker.log)")
        #expect(try self.results(of: cluster, 20) == 20)
        await gdt.stop()
        try await cluster.end()
    }

    /// The records before the bound are all in hand while GDT is down, and none is given up. Records that are published
    /// meanwhile lie behind the bound.
    @Test func recordsThatWaitForAnOutageAreWaitedFor() async throws {
        let cluster = try await TestCluster.transactional()
        let gdt = try await GDTSimulator.start(Activations.simulatorSettings)
        var outage = Faults()
        outage.serverError = .init(status: 503, when: .always)
        await gdt.setFaults(outage)
        try cluster.publish((0..<60).map { Activations.good($0, to: cluster.input) })
        let worker = try self.worker(cluster, gdt, until: "end", more: EndToEndTests.quickRetries)
        #expect(worker.waitForLog("circuit breaker open"), "\(worker.log)")
        try cluster.publish((60..<90).map { Activations.good($0, to: cluster.input) })
        await gdt.setFaults(Faults())
        #expect(worker.exitStatus() == 0, "\(worker.log)")
        let results = try TopicContents(cluster.results, cluster)
        #expect(results.read(outcomes: 60))
        #expect(!results.read(atMost: .seconds(1)) { $0.count > 60 })
        #expect(results.records.allSatisfy { $0.outcome?.fate == "succeeded" })
        await gdt.stop()
        try await cluster.end()
    }

    /// An activation passes through two topics of the intake, and the end of the second is not known at the start.
    @Test func theIntakeTakesNoBound() throws {
        let intake = try WorkerUnderTest(
            "activation-worker",
            "kafka: {brokers: nowhere}\n",
            command: ["intake", "run", "--until", "end"]
        )
        #expect(intake.exitStatus() == 64)
        #expect(intake.log.contains("--until is not for the intake"), "\(intake.log)")
    }

    @Test func aTimeToComeIsRefused() async throws {
        let cluster = try await TestCluster.transactional()
        let gdt = try await GDTSimulator.start(Activations.simulatorSettings)
        for (bound, message) in [("2999-01-01T00:00:00Z", "a time that is over"), ("soon", "--until")] {
            let worker = try self.worker(cluster, gdt, until: bound)
            #expect(worker.exitStatus() == 64)
            #expect(worker.log.contains(message), "\(worker.log)")
        }
        await gdt.stop()
        try await cluster.end()
    }

    /// One of four threads gets no partition. The run ends when each has read what it has.
    @Test(arguments: [2, 4]) func threadsOfAStateEndTogether(_ threads: Int) async throws {
        let cluster = try await PushTopics.cluster(partitions: 3)
        let settings = PushTopics.settings(cluster, more: "state:\n  threads: \(threads)")
        func events(_ range: Range<Int>) -> [OutboundRecord] {
            range.map {
                let value = #"{"type":"opened","deviceId":"d\#($0)","messageId":"m"}"#
                return OutboundRecord(
                    topic: cluster.input,
                    key: Array("d\($0)".utf8),
                    value: Array(value.utf8)
                )
            }
        }
        try cluster.publish(events(0..<500))
        for count in [500, 700] {
            let worker = try WorkerUnderTest(
                "push-arrival-worker",
                settings,
                command: ["run", "--until", "end", "--summary"]
            )
            #expect(worker.exitStatus() == 0, "\(worker.log)")
            let told = worker.log.firstMatch(of: #/"records":(\d+),/#).flatMap { Int($0.1) } ?? 0
            #expect(told >= (count == 500 ? 500 : 200), "\(worker.log)")
            #expect(try self.results(of: cluster, count) == count)
            if count == 500 { try cluster.publish(events(500..<700)) }
        }
        try await cluster.end()
    }
}
