import Foundation
import Records
import Testing
import UpstreamSimulator

@Suite(.serialized, .timeLimit(.minutes(10)))
struct KillTests {
    /// Ten times, the worker is killed while 200 calls are in flight. The next worker repeats the calls that were not
    /// committed, so there may be duplicates; there must be no gap.
    @Test func tenKillsInFiveThousandRecordsLoseNone() async throws {
        let count = 5_000
        let kills = 10
        let cluster = try TestCluster(partitions: 8)
        var settings = Activations.simulatorSettings
        settings.faults.latency = .init(milliseconds: 100, jitterMilliseconds: 50)
        let gdt = try await GDTSimulator.start(settings)
        try cluster.publish((0..<count).map { Activations.good($0, to: cluster.input) })
        let results = try TopicContents(cluster.results, cluster)
        for round in 1...kills {
            let worker = try Self.worker(cluster, gdt)
            // Killed once it has visibly worked in this life, and well before the end.
            let seen = results.records.count
            let goal = max(seen + 1, round * count / (kills + 2))
            #expect(results.read { $0.count >= goal }, "round \(round): \(worker.log)")
            worker.send(SIGKILL)
            #expect(worker.exitStatus() == 128 + SIGKILL)
        }
        let last = try Self.worker(cluster, gdt)
        #expect(results.read(outcomes: count), "\(last.log)")
        #expect(last.stop() == 0, "\(last.log)")

        let ids = results.records.compactMap(\.outcomeID)
        let letters = try TopicContents(cluster.deadLetters, cluster)
        _ = letters.read(atMost: .seconds(1)) { _ in false }
        #expect(Set(ids).count == count)
        #expect(letters.records.isEmpty)
        #expect(gdt.accepted().count == count)
        print(
            """
            \(kills) kills in \(count) records: lost \(count - Set(ids).count), \
            outcomes repeated \(ids.count - Set(ids).count), reports repeated \(gdt.stats().duplicates). \
            A repeat is a record that was in flight, or settled and not yet committed, when its worker was killed.
            """
        )
        await gdt.stop()
        try cluster.remove()
    }

    private static func worker(_ cluster: TestCluster, _ gdt: RunningSimulator) throws -> WorkerUnderTest {
        try WorkerUnderTest(
            cluster,
            upstream: "http://127.0.0.1:\(gdt.port)",
            more: "worker:\n  concurrency: 200\n"
        )
    }
}
