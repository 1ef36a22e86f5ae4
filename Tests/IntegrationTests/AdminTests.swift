import Foundation
import Testing
import UpstreamSimulator
import WorkerTestSupport

/// `fleet admin` and SIGHUP, given to a running worker.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct AdminTests {
    private let folder: TemporaryFolder
    private var socket: String { self.folder.file("admin.sock").path }

    init() throws { self.folder = try TemporaryFolder() }

    private func admin(_ arguments: String...) throws -> WorkerCommand {
        let words = [arguments[0], "--socket", self.socket] + arguments.dropFirst()
        return try WorkerCommand("fleet", ["admin"] + words, settings: "")
    }

    private func worker(_ cluster: TestCluster, _ gdt: RunningSimulator, more: String = "") throws
        -> WorkerUnderTest
    {
        let text =
            "admin:\n  socket: \(self.socket)\n  choices_file: \(self.folder.file("choices").path)\n" + more
        return try WorkerUnderTest(cluster, upstream: "http://127.0.0.1:\(gdt.port)", more: text)
    }

    @Test func aPausedWorkerOutlivesARestartAndGoesOnWhenItIsTold() async throws {
        let cluster = try TestCluster()
        let gdt = try await GDTSimulator.start(Activations.simulatorSettings)
        let first = try self.worker(cluster, gdt)
        #expect(first.waitForLog("assigned"), "\(first.log)")
        let mode = try FileManager.default.attributesOfItem(atPath: self.socket)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let paused = try self.admin("pause")
        #expect(paused.status == 0, "\(paused.complaints)")
        #expect(paused.output.contains("paused: the whole worker\n"))
        #expect(try await first.waitForPage("/readyz") { $1.contains("an operator has paused the worker") })
        #expect(try self.admin("drain").status == 0)
        #expect(first.exitStatus() == 0, "\(first.log)")
        #expect(!FileManager.default.fileExists(atPath: self.socket))

        let second = try self.worker(cluster, gdt)
        #expect(second.waitForLog("an operator's choices hold"), "\(second.log)")
        #expect(try await second.waitForPage("/readyz") { $1.contains("an operator has paused the worker") })
        try cluster.publish([Activations.good(0, to: cluster.input)])
        let results = try TopicContents(cluster.results, cluster)
        #expect(try self.admin("resume").status == 0)
        #expect(results.read(outcomes: 1), "\(second.log)")
        #expect(try await second.waitForPage("/readyz") { status, _ in status == 200 })
        #expect(second.stop() == 0, "\(second.log)")
        await gdt.stop()
        try cluster.remove()
    }

    @Test func ordersThatFitNothingAreRefusedInWords() async throws {
        let cluster = try TestCluster()
        let gdt = try await GDTSimulator.start(Activations.simulatorSettings)
        let missing = try self.admin("status")
        #expect(
            missing.status == 1 && missing.complaints.contains("no program listens on"),
            "\(missing.complaints)"
        )
        let worker = try self.worker(cluster, gdt)
        #expect(worker.waitForLog("assigned"), "\(worker.log)")
        let unknown = try self.admin("pause", "--endpoint", "moon")
        #expect(unknown.status == 1 && unknown.complaints.contains("there is no endpoint 'moon'"))
        let high = try self.admin("concurrency", "100000")
        #expect(high.status == 1 && high.complaints.contains("worker.concurrency"), "\(high.complaints)")
        // A second worker with the same socket would take the orders of the first.
        let other = try self.worker(cluster, gdt)
        #expect(other.exitStatus() == 1)
        #expect(other.log.contains("another process listens there"), "\(other.log)")
        #expect(
            try self.admin("status", "--json").objects.first?["program"] as? String == "activation-worker"
        )
        #expect(worker.stop() == 0, "\(worker.log)")
        await gdt.stop()
        try cluster.remove()
    }

    /// The socket of a worker that was killed stays behind.
    @Test func aWorkerTakesThePlaceOfOneThatWasKilled() async throws {
        let cluster = try TestCluster()
        let gdt = try await GDTSimulator.start(Activations.simulatorSettings)
        let first = try self.worker(cluster, gdt)
        #expect(first.waitForLog("takes orders"), "\(first.log)")
        first.send(SIGKILL)
        _ = first.exitStatus()
        #expect(FileManager.default.fileExists(atPath: self.socket))
        let second = try self.worker(cluster, gdt)
        #expect(second.waitForLog("takes orders"), "\(second.log)")
        #expect(try self.admin("status").status == 0)
        #expect(second.stop() == 0, "\(second.log)")
        await gdt.stop()
        try cluster.remove()
    }

    @Test func aHangUpTakesTheLevelOfTheLogFromTheSettings() async throws {
        let cluster = try TestCluster()
        let gdt = try await GDTSimulator.start(Activations.simulatorSettings)
        let worker = try self.worker(cluster, gdt)
        #expect(worker.waitForLog("takes orders"), "\(worker.log)")
        #expect(try self.admin("log-level", "error").output.contains("log level: error, chosen"))
        let settings = try String(contentsOfFile: worker.settingsPath, encoding: .utf8)
        try settings.replacing("level: info", with: "level: notice")
            .write(toFile: worker.settingsPath, atomically: true, encoding: .utf8)
        worker.send(SIGHUP)
        #expect(worker.waitForLog("are those of the settings now"), "\(worker.log)")
        #expect(try self.admin("status").output.contains("log level: notice\n"))
        try "nonsense: [".write(toFile: worker.settingsPath, atomically: true, encoding: .utf8)
        worker.send(SIGHUP)
        #expect(worker.waitForLog("SIGHUP changes nothing"), "\(worker.log)")
        #expect(worker.stop() == 0, "\(worker.log)")
        await gdt.stop()
        try cluster.remove()
    }
}
