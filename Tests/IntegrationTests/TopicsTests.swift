import Testing
import UpstreamSimulator
import WorkerTestSupport

/// `fleet topics` and a worker whose topics it makes.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct TopicsTests {
    /// A worker that waits for a topic goes on once an operator has made it.
    @Test func aWorkerWorksWithTheTopicsThatAreMade() async throws {
        guard TestCluster.isEmbedded else { return }
        let cluster = try await TestCluster.transactional(partitions: 3)
        let gdt = try await GDTSimulator.start(Activations.simulatorSettings)
        let worker = try WorkerUnderTest(
            cluster,
            upstream: "http://127.0.0.1:\(gdt.port)",
            kafka: "message_limit: 2000000",
            more: "worker:\n  ordering: none\nretry:\n  topics: 1m"
        )
        #expect(worker.waitForLog("retry topic '\(cluster.input).retry.1m' does not exist"), "\(worker.log)")
        func topics(_ command: String) throws -> CommandUnderTest {
            try CommandUnderTest(["topics", command, "--config", worker.settingsPath], of: "fleet")
        }
        // The second look finds the same: to look changes nothing.
        for _ in 0..<2 {
            let plan = try topics("plan")
            #expect(plan.exitStatus() == 1)
            for line in [
                "\(cluster.input).retry.1m (retry): create, partitions 3, cleanup.policy=delete, ",
                "\(cluster.input).parked (parking): create, partitions 3",
                "\(cluster.results) (result): set max.message.bytes: 1048588 -> 2000000",
            ] { #expect(plan.waitForLine(line), "\(plan.text)") }
        }
        let apply = try topics("apply")
        #expect(apply.exitStatus() == 0)
        #expect(apply.waitForLine("done: 4"), "\(apply.text)")
        #expect(try topics("plan").exitStatus() == 0)
        try cluster.publish((0..<6).map { Activations.good($0, to: cluster.input) })
        let results = try TopicContents(cluster.results, cluster)
        #expect(results.read(outcomes: 6), "\(worker.log)")
        #expect(worker.stop() == 0, "\(worker.log)")
        await gdt.stop()
        try await cluster.end()
    }
}
