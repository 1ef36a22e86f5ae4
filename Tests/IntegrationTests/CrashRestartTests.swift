import Foundation
import Records
import Testing

/// A worker that starts again in place, as in a container without a volume, where a new container has no crash folder.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct CrashRestartTests {
    private static func worker(_ cluster: TestCluster, restarts: Int) throws -> WorkerUnderTest {
        try WorkerUnderTest(
            "DeadlyWorker",
            """
            kafka:
              brokers: \(cluster.brokers)
              session_timeout: 6s
              topic: \(cluster.input)
              group: \(cluster.input)
              fetch_wait: 5ms
            health:
              host: 127.0.0.1
              port: 0
            log:
              format: text

            """,
            command: ["run", "--restarts", "\(restarts)"]
        )
    }

    private static func records(_ values: [String], to cluster: TestCluster) -> [OutboundRecord] {
        values.map {
            OutboundRecord(topic: cluster.input, key: Array($0.utf8), value: Array($0.utf8), partition: 0)
        }
    }

    @Test(arguments: ["trap", "out of memory"])
    func aDeadlyRecordIsDeadLetteredByTheSameProcess(record: String) async throws {
        let cluster = try TestCluster(partitions: 1)
        let worker = try Self.worker(cluster, restarts: 3)
        try cluster.publish(Self.records(["a", record, "b", "c"], to: cluster))
        let results = try TopicContents(cluster.results, cluster)
        #expect(results.read(outcomes: 4), "\(worker.log)")
        #expect(worker.log.ranges(of: "the worker has crashed, and starts again").count == 3, "\(worker.log)")

        let outcomes = Set(results.records.compactMap(\.outcome))
        #expect(outcomes.filter { $0.fate == "succeeded" }.count == 3)
        #expect(outcomes.compactMap(\.reason?.code) == ["crash_loop"])
        let letters = try TopicContents(cluster.deadLetters, cluster)
        #expect(letters.read { !$0.isEmpty })
        #expect(letters.records.map(\.value) == [Array(record.utf8)])

        // It goes on with its work under the same process id, hears of signals and drains.
        try cluster.publish(Self.records(["d"], to: cluster))
        #expect(results.read(outcomes: 5), "\(worker.log)")
        worker.send(SIGHUP)
        #expect(worker.waitForLog("are those of the settings now"), "\(worker.log)")
        #expect(worker.stop() == 0, "\(worker.log)")
        #expect(worker.log.contains("stopped"), "\(worker.log)")
        try cluster.remove()
    }

    @Test func endsAsTheWorkerDidWhenNoRestartIsLeft() async throws {
        let cluster = try TestCluster(partitions: 1)
        try cluster.publish(Self.records(["out of memory"], to: cluster))
        let worker = try Self.worker(cluster, restarts: 1)
        #expect(worker.exitStatus() == 128 + SIGKILL, "\(worker.log)")
        #expect(worker.waitForLog("the worker has crashed, and no restart is left"), "\(worker.log)")
        try cluster.remove()
    }

    @Test(arguments: ["activation-worker", "push-arrival-worker"])
    func whatEndsWithAMessageIsNotStartedAgain(executable: String) throws {
        let worker = try WorkerUnderTest(
            executable,
            "kafka: {bogus: 1}\n",
            command: ["run", "--restarts", "3"]
        )
        #expect(worker.exitStatus() == 1, "\(worker.log)")
        #expect(worker.waitForAllToEnd())
        #expect(worker.log.ranges(of: "kafka.bogus: unknown setting").count == 1, "\(worker.log)")
    }

    /// The worker stops as if told to: it is no orphan that nobody can stop any more.
    @Test func theWorkerEndsWithItsSupervisor() throws {
        let cluster = try TestCluster(partitions: 1)
        let worker = try Self.worker(cluster, restarts: 3)
        #expect(worker.waitForLog("assigned"), "\(worker.log)")
        worker.send(SIGKILL)
        #expect(worker.exitStatus() == 128 + SIGKILL)
        #expect(worker.waitForLog("stopped"), "\(worker.log)")
        #expect(worker.waitForAllToEnd(), "\(worker.log)")
        try cluster.remove()
    }
}
