import EmbeddedBroker
import Foundation
import Records
import Testing
import UpstreamSimulator

/// How workers come into their group, come back to it, and are told why not.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct MembershipTests {
    private static func worker(_ cluster: TestCluster, _ gdt: RunningSimulator, kafka: String) throws
        -> WorkerUnderTest
    {
        try WorkerUnderTest(cluster, upstream: "http://127.0.0.1:\(gdt.port)", kafka: kafka)
    }

    private static func records(_ range: Range<Int>, _ cluster: TestCluster) -> [OutboundRecord] {
        range.map { Activations.good($0, to: cluster.input) }
    }

    /// A session that would outlast the test, so that whoever waits for it is seen.
    @Test(arguments: ["at-least-once", "exactly-once"])
    func aKilledWorkerThatComesBackUnderItsNameStopsNobody(delivery: String) async throws {
        let cluster = try await TestCluster.transactional()
        let gdt = try await GDTSimulator.start(Activations.simulatorSettings)
        func worker(_ name: String) throws -> WorkerUnderTest {
            try WorkerUnderTest(
                cluster,
                upstream: "http://127.0.0.1:\(gdt.port)",
                kafka: "session_timeout: 120s\n  transaction_timeout: 120s\n  instance: \(name)",
                more: "worker:\n  delivery: \(delivery)\n"
            )
        }
        let results = try TopicContents(cluster.results, cluster)
        let first = try worker("one")
        #expect(first.waitForLog(" assigned "), "\(first.log)")
        let second = try worker("two")
        #expect(second.waitForLog(" assigned "), "\(second.log)")
        #expect(first.waitForLog(" assigned ", times: 2), "\(first.log)")
        try cluster.publish(Self.records(0..<200, cluster))
        #expect(results.read(outcomes: 200), "\(second.log)")
        second.send(SIGKILL)
        #expect(second.exitStatus() == 128 + SIGKILL)

        try cluster.publish(Self.records(200..<400, cluster))
        let again = try worker("two")
        #expect(results.read(outcomes: 400), "\(again.log)")
        // Its group has not been rebalanced for it.
        #expect(first.log.ranges(of: " assigned ").count == 2, "\(first.log)")
        #expect(again.stop() == 0, "\(again.log)")
        #expect(first.stop() == 0, "\(first.log)")
        await gdt.stop()
        try await cluster.end()
    }

    @Test func ofTwoWorkersWithOneNameTheOlderEndsAndSaysWhy() async throws {
        let cluster = try await TestCluster.transactional()
        let gdt = try await GDTSimulator.start(Activations.simulatorSettings)
        let older = try Self.worker(cluster, gdt, kafka: "instance: one")
        #expect(older.waitForLog(" assigned "), "\(older.log)")
        let newer = try Self.worker(cluster, gdt, kafka: "instance: one")
        #expect(older.exitStatus() == 1)
        #expect(older.log.contains("Give each its own kafka.instance"), "\(older.log)")
        #expect(newer.waitForLog(" assigned "), "\(newer.log)")
        #expect(newer.stop() == 0, "\(newer.log)")
        await gdt.stop()
        try await cluster.end()
    }

    @Test func aSessionThatTheClusterRefusesEndsTheWorkerWithASentence() async throws {
        var settings = BrokerSettings()
        settings.sessionTimeouts = .seconds(6)...(.seconds(1_800))
        let cluster = try await TestCluster.transactional(settings)
        let gdt = try await GDTSimulator.start(Activations.simulatorSettings)
        let worker = try Self.worker(cluster, gdt, kafka: "session_timeout: 5s")
        #expect(worker.exitStatus() == 1)
        #expect(worker.log.contains("The cluster does not take kafka.session_timeout."), "\(worker.log)")
        await gdt.stop()
        try await cluster.end()
    }

    @Test func newPartitionsAreReadSoon() async throws {
        let cluster = try await TestCluster.transactional(partitions: 2)
        let gdt = try await GDTSimulator.start(Activations.simulatorSettings)
        let worker = try Self.worker(cluster, gdt, kafka: "session_timeout: 6s")
        let results = try TopicContents(cluster.results, cluster)
        try cluster.publish(Self.records(0..<20, cluster))
        #expect(results.read(outcomes: 20), "\(worker.log)")
        try cluster.grow(to: 4)
        try cluster.publish(
            Self.records(20..<40, cluster).map { record in
                var record = record
                record.partition = 3
                return record
            }
        )
        // Twice the bound, for a machine with other work; `chaos --adversary` judges the bound itself.
        #expect(results.read(outcomes: 40, atMost: .seconds(60)), "\(worker.log)")
        #expect(worker.stop() == 0, "\(worker.log)")
        await gdt.stop()
        try await cluster.end()
    }

    @Test(.enabled(if: TestCluster.isEmbedded))
    func aTopicThatMayNotBeReadIsNamedAtTheStart() async throws {
        let cluster = try await TestCluster.transactional()
        let gdt = try await GDTSimulator.start(Activations.simulatorSettings)
        var faults = BrokerFaults()
        faults.unreadableTopics = [cluster.input]
        try await cluster.setFaults(faults)
        let worker = try Self.worker(cluster, gdt, kafka: "session_timeout: 6s\n  start_limit: 1s")
        #expect(worker.exitStatus() == 1)
        #expect(
            worker.log.contains("User:ANONYMOUS has no READ on the topic '\(cluster.input)' (input)."),
            "\(worker.log)"
        )
        await gdt.stop()
        try await cluster.end()
    }

    @Test func aTopicThatComesLateIsWaitedFor() async throws {
        let cluster = try await TestCluster.transactional(withDeadLetters: false)
        let gdt = try await GDTSimulator.start(Activations.simulatorSettings)
        let worker = try Self.worker(cluster, gdt, kafka: "session_timeout: 6s")
        let complaint = "waiting: The dead-letter topic '\(cluster.deadLetters)' does not exist"
        #expect(worker.waitForLog(complaint), "\(worker.log)")
        try cluster.createDeadLetters()
        let results = try TopicContents(cluster.results, cluster)
        try cluster.publish(Self.records(0..<20, cluster))
        #expect(results.read(outcomes: 20), "\(worker.log)")
        #expect(worker.stop() == 0, "\(worker.log)")
        await gdt.stop()
        try await cluster.end()
    }
}
