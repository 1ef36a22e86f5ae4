import Foundation
import Testing
import WorkerTestSupport

/// The one line that a command prints for what it cannot change.
@Suite(.timeLimit(.minutes(10))) struct ComplaintTests {
    /// Runs `dead-letters` and returns its exit code and all that it has printed.
    private func run(_ arguments: [String], _ environment: [String: String]) throws -> (Int32, String) {
        let output = try ProcessOutput()
        let process = try TestProcess(
            try WorkerUnderTest.path(of: "dead-letters"),
            arguments,
            environment: ProcessInfo.processInfo.environment.merging(environment) { $1 },
            output: .pipe(output.pipe),
            error: .pipe(output.pipe)
        )
        let status = process.wait()
        #expect(output.waitForEnd())
        return (status, output.text)
    }

    @Test func aClusterThatIsDownIsOneLine() throws {
        let folder = try TemporaryFolder()
        let (status, text) = try self.run(
            ["groups", "--brokers", "127.0.0.1:1"],
            ["HOME": folder.path, "XDG_CACHE_HOME": "", "FLOTILLA_KAFKA_PATIENCE": "1s"]
        )
        #expect(status == 1)
        let complaint = "no broker answers at 127.0.0.1:1 within 1 s (kafka.brokers, kafka.patience)"
        #expect(text == "dead-letters groups: \(complaint)\n")
    }

    @Test func aHomeThatCannotBeWrittenIsOneLine() throws {
        let folder = try TemporaryFolder()
        // A file stands where the folder would be. Not even root can make a folder below it.
        let home = try folder.write([], to: "home").path
        let (status, text) = try self.run(
            ["groups", "--brokers", "127.0.0.1:1"],
            ["HOME": home, "XDG_CACHE_HOME": ""]
        )
        #expect(status == 1)
        let remedy = "set dead_letters.salt, or XDG_CACHE_HOME to a folder that can be written"
        #expect(text == "dead-letters groups: '\(home)/.cache': Not a directory; \(remedy)\n")
    }

    /// The port of the cluster is one that is in use.
    @Test(.enabled(if: TestCluster.isEmbedded)) func aPortInUseIsOneLine() async throws {
        let cluster = try await TestCluster.transactional()
        let tool = try DeadLetterToolUnderTest(cluster)
        let port = String(try #require(cluster.brokers.split(separator: ":").last))
        let run = try tool.run(["serve"], environment: ["FLOTILLA_SERVE_PORT": port])
        #expect(run.status == 1)
        let lines = run.complaints.split(separator: "\n").filter { $0.contains("cannot listen") }
        #expect(lines.count == 1, "\(run)")
        #expect(lines.first?.contains("127.0.0.1:\(port)") == true, "\(run)")
        #expect(lines.first?.hasSuffix("serve.port names another port") == true, "\(run)")
        try await cluster.end()
    }
}
