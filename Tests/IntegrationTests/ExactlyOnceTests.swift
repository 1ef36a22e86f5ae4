import Foundation
import Records
import Testing
import UpstreamSimulator

/// `delivery: exactly-once` on a broker that takes transactions at their word: whatever happens to the workers, a
/// reader of committed records sees one outcome for each record.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct ExactlyOnceTests {
    private static func worker(_ cluster: TestCluster, _ gdt: RunningSimulator, more: String = "") throws
        -> WorkerUnderTest
    {
        try WorkerUnderTest(
            cluster,
            upstream: "http://127.0.0.1:\(gdt.port)",
            kafka: "session_timeout: 6s\n  transaction_timeout: 4s",
            more: "worker:\n  concurrency: 200\n  delivery: exactly-once\n\(more)"
        )
    }

    private static func gdt(latency: Int = 50) async throws -> RunningSimulator {
        var settings = Activations.simulatorSettings
        settings.faults.latency = .init(milliseconds: latency, jitterMilliseconds: latency / 2)
        return try await GDTSimulator.start(settings)
    }

    /// A reader of committed records sees each outcome once.
    private func expectOnce(_ results: TopicContents, _ count: Int, _ log: String) {
        #expect(results.read(outcomes: count), "\(log)")
        // Any further records would come now.
        _ = results.read(atMost: .seconds(2)) { _ in false }
        let ids = results.records.compactMap(\.outcomeID)
        #expect(Set(ids).count == count)
        #expect(ids.count == count)
    }

    @Test func killsAreNotToBeSeenInTheResults() async throws {
        let (count, kills) = (3_000, 5)
        let cluster = try await TestCluster.transactional(partitions: 6)
        let gdt = try await Self.gdt()
        try cluster.publish((0..<count).map { Activations.good($0, to: cluster.input) })
        let results = try TopicContents(cluster.results, cluster)
        for round in 1...kills {
            let worker = try Self.worker(cluster, gdt)
            let goal = max(results.records.count + 1, round * count / (kills + 2))
            #expect(results.read { $0.count >= goal }, "round \(round): \(worker.log)")
            worker.send(SIGKILL)
            #expect(worker.exitStatus() == 128 + SIGKILL)
        }
        let last = try Self.worker(cluster, gdt)
        self.expectOnce(results, count, last.log)
        #expect(last.stop() == 0, "\(last.log)")
        #expect(gdt.accepted().count == count)
        print(
            "\(kills) kills in \(count) records: outcomes to be seen twice 0, reports \(gdt.stats().duplicates)"
        )
        await gdt.stop()
        try await cluster.end()
    }

    /// It stands still until the group has given its partitions to another, and goes on in the middle of whatever it
    /// was about to do.
    @Test func aZombieCommitsNothing() async throws {
        let count = 4_000
        let cluster = try await TestCluster.transactional(partitions: 4)
        let gdt = try await Self.gdt(latency: 200)
        try cluster.publish((0..<count).map { Activations.good($0, to: cluster.input) })
        let results = try TopicContents(cluster.results, cluster)
        let zombie = try Self.worker(cluster, gdt)
        #expect(results.read { $0.count >= 200 }, "\(zombie.log)")
        zombie.send(SIGSTOP)
        let heir = try Self.worker(cluster, gdt)
        let before = results.records.count
        #expect(results.read { $0.count >= before + 500 }, "\(heir.log)")
        zombie.send(SIGCONT)
        self.expectOnce(results, count, zombie.log + heir.log)
        #expect(zombie.stop() == 0, "\(zombie.log)")
        #expect(heir.stop() == 0, "\(heir.log)")
        await gdt.stop()
        try await cluster.end()
    }

    @Test func aHandOverRepeatsNothingAtAll() async throws {
        let count = 2_000
        let cluster = try await TestCluster.transactional(partitions: 4)
        let gdt = try await Self.gdt()
        try cluster.publish((0..<count).map { Activations.good($0, to: cluster.input) })
        let results = try TopicContents(cluster.results, cluster)
        let first = try Self.worker(cluster, gdt)
        #expect(results.read { $0.count >= 300 }, "\(first.log)")
        let second = try Self.worker(cluster, gdt)
        #expect(second.waitForLog("assigned"), "\(second.log)")
        #expect(first.stop() == 0, "\(first.log)")
        self.expectOnce(results, count, second.log)
        #expect(second.stop() == 0, "\(second.log)")
        // A drain lets every call come back, and its outcome is committed before the partition is given up.
        #expect(gdt.stats().duplicates == 0)
        await gdt.stop()
        try await cluster.end()
    }
}
