import EmbeddedBroker
import Foundation
import Records
import Testing
import UpstreamSimulator

/// Long waits in topics of their own, with real workers.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct RetryTopicTests {
    private static let more = """
        worker:
          concurrency: 200
          ordering: none
          delivery: exactly-once
        retry:
          base: 4s
          longest: 4s
          topics: 1s
        """

    /// A third of the records fails twice. Most of their waits are longer than a second and are spent in the topic,
    /// also that of a worker which is killed meanwhile.
    @Test func recordsWaitThereAndNoneIsLateLostOrEarly() async throws {
        let count = 600
        let cluster = try await TestCluster.transactional(partitions: 4, retries: ["1s"])
        let gdt = try await GDTSimulator.start(Activations.simulatorSettings)
        try cluster.publish(
            (0..<count).map { index in
                let fate = index % 3 == 0 ? "sim-ret-77x2-\(index)" : nil
                return Activations.good(index, to: cluster.input, clickID: fate)
            }
        )
        let results = try TopicContents(cluster.results, cluster)
        let waiting = try TopicContents("\(cluster.input).retry.1s", cluster)
        let first = try self.worker(cluster, gdt)
        #expect(waiting.read { $0.count >= 50 }, "\(first.log)")
        first.send(SIGKILL)
        _ = first.exitStatus()
        let second = try self.worker(cluster, gdt)
        #expect(results.read(outcomes: count), "\(second.log)")
        _ = results.read(atMost: .seconds(1)) { _ in false }
        _ = waiting.read(atMost: .seconds(1)) { _ in false }
        #expect(second.stop() == 0, "\(second.log)")
        // The last offsets of both topics are marks of transactions, and an alert of the lag must end.
        for topic in [cluster.input, "\(cluster.input).retry.1s"] {
            #expect(try cluster.lag(of: topic, partitions: 4) == 0, "\(topic)")
        }

        let outcomes = results.records.compactMap(\.outcome)
        #expect(outcomes.count == count && outcomes.allSatisfy { $0.fate == "succeeded" })
        // Calls that the killed worker made and could not tell of are the only ones that come twice.
        #expect(gdt.accepted().count == count)
        // The wait of either failure is above a second three times of four.
        #expect(waiting.records.count > count / 3)
        self.expectNoneIsEarly(waiting.records, results.records)
        await gdt.stop()
        try await cluster.end()
    }

    /// An outcome names the publisher's record, and so do the copies of it.
    private func expectNoneIsEarly(_ copies: [InboundRecord], _ results: [InboundRecord]) {
        var due: [String: Int64] = [:]
        for copy in copies {
            guard let partition = copy.text(of: "flotilla.retry.partition"),
                let offset = copy.text(of: "flotilla.retry.offset"),
                let time = copy.text(of: "flotilla.retry.due").flatMap({ Int64($0) }),
                let failed = copy.text(of: "flotilla.retry.first_failed_at").flatMap({ Int64($0) })
            else {
                Issue.record("a copy without a ticket: \(copy.headers)")
                continue
            }
            #expect(time >= failed + 1_000)
            due["\(partition)/\(offset)", default: 0] = max(due["\(partition)/\(offset)", default: 0], time)
        }
        var compared = 0
        for result in results {
            guard let id = result.outcomeID, let told = result.timestamp else { continue }
            let place = id.split(separator: "/").suffix(2).joined(separator: "/")
            guard let time = due[place] else { continue }
            compared += 1
            #expect(told >= time, "\(id) was settled \(time - told) ms too early")
        }
        #expect(compared == due.count && compared > 100)
    }

    /// Records would be deleted before they are due: a worker that starts all the same would lose them.
    @Test func aRetryTopicThatForgetsTooSoonKeepsTheWorkerFromItsWork() async throws {
        try await withKnownTopics(["retention.ms": "60000"]) { cluster, worker in
            #expect(worker.exitStatus() == 1)
            #expect(worker.log.contains("keeps a record for 60000 ms (retention.ms)"), "\(worker.log)")
            #expect(worker.log.contains("Set it to 3601000 or more"))
            let preflight = try CommandUnderTest(["preflight", "--config", worker.settingsPath], of: "fleet")
            #expect(preflight.exitStatus() == 1)
            #expect(preflight.waitForLine("Set it to 3601000 or more"), "\(preflight.text)")
        }
    }

    @Test func aRetryTopicThatForgetsForSizeIsWarnedOf() async throws {
        try await withKnownTopics(["retention.bytes": "1000000"]) { cluster, worker in
            #expect(worker.waitForLog("keeps 1000000 bytes a partition (retention.bytes)"), "\(worker.log)")
            #expect(worker.waitForLog("assigned"), "\(worker.log)")
            #expect(worker.stop() == 0)
        }
    }

    private func withKnownTopics(
        _ settings: [String: String],
        _ body: (TestCluster, WorkerUnderTest) throws -> Void
    ) async throws {
        guard TestCluster.isEmbedded else { return }
        let cluster = try await TestCluster.transactional(partitions: 1)
        try await cluster.createTopic("\(cluster.input).retry.1s", settings)
        let gdt = try await GDTSimulator.start(Activations.simulatorSettings)
        try body(cluster, try self.worker(cluster, gdt))
        await gdt.stop()
        try await cluster.end()
    }

    private func worker(_ cluster: TestCluster, _ gdt: RunningSimulator) throws -> WorkerUnderTest {
        try WorkerUnderTest(
            cluster,
            upstream: "http://127.0.0.1:\(gdt.port)",
            kafka: "session_timeout: 6s\n  transaction_timeout: 4s",
            more: Self.more
        )
    }
}
