import Foundation
import Testing
import WorkerTestSupport

/// The checks before a start print their own words. librdkafka closes its clients with lines such as "Purging 1 unserved
/// events from background queue", which tell an operator nothing and once stood among the sentences.
@Suite(.timeLimit(.minutes(10)))
struct PreflightOutputTests {
    /// Returns the lines that librdkafka has written itself, such as `%6|1700000000.1|BGQUEUE|rdkafka#producer-1| …`.
    private static func linesOfTheClient(in text: String) -> [Substring] {
        text.split(separator: "\n").filter { line in
            line.contains("unserved") || line.contains("rdkafka#") || line.wholeMatch(of: #/%\d\|.*/#) != nil
        }
    }

    @Test(arguments: [
        "%6|1732696800.1|BGQUEUE|rdkafka#producer-1| [thrd:background]: Purging 1 unserved events",
        "%3|1732696800.1|FAIL|w#consumer-1| [thrd:127.0.0.1:1/bootstrap]: Connection refused",
    ])
    func aLineOfTheClientIsKnown(line: String) {
        #expect(Self.linesOfTheClient(in: "The topic is missing.\n\(line)\n").count == 1)
    }

    /// How many events wait when a client is closed depends on its threads. Each command closes two clients, and runs
    /// several times.
    private static let runs = 3

    private func expectOwnWords(
        _ command: String,
        _ settings: String,
        status: Int32,
        saying sentence: String
    ) throws {
        for _ in 0..<Self.runs {
            let run = try CommandUnderTest([command, "--config", settings], of: "fleet")
            #expect(run.exitStatus() == status, "\(run.text)")
            #expect(run.waitForLine(sentence), "\(run.text)")
            #expect(Self.linesOfTheClient(in: run.text) == [])
        }
    }

    @Test func aClusterThatHasEverythingIsOneSentence() async throws {
        let cluster = try await TestCluster.transactional()
        let worker = try WorkerUnderTest(cluster, upstream: "http://127.0.0.1:9")
        #expect(worker.waitForLog("assigned"), "\(worker.log)")
        let sentence = "activation-worker would start: its cluster answers and has its topics\n"
        try self.expectOwnWords("preflight", worker.settingsPath, status: 0, saying: sentence)
        #expect(worker.stop() == 0, "\(worker.log)")
        #expect(Self.linesOfTheClient(in: worker.log) == [])
        try await cluster.end()
    }

    /// The worker itself makes the same checks before it ends.
    @Test func aTopicThatIsMissingIsOneSentence() async throws {
        let cluster = try await TestCluster.transactional(withDeadLetters: false)
        let worker = try WorkerUnderTest(cluster, upstream: "http://127.0.0.1:9", kafka: "start_limit: 1s")
        #expect(worker.exitStatus() == 1)
        #expect(worker.log.contains("'\(cluster.deadLetters)'"), "\(worker.log)")
        #expect(Self.linesOfTheClient(in: worker.log) == [])
        let sentence = "'\(cluster.deadLetters)'"
        try self.expectOwnWords("preflight", worker.settingsPath, status: 1, saying: sentence)
        try self.expectOwnWords("doctor", worker.settingsPath, status: 1, saying: sentence)
        try await cluster.end()
    }

    @Test func aClusterThatIsDownIsOneSentence() throws {
        let folder = try TemporaryFolder()
        let settings = try folder.write("kafka: {brokers: '127.0.0.1:1'}\n", to: "settings.yaml").path
        let run = try CommandUnderTest(["preflight", "--config", settings, "--wait", "1"], of: "fleet")
        #expect(run.exitStatus() == 1, "\(run.text)")
        #expect(run.waitForLine("127.0.0.1:1"), "\(run.text)")
        #expect(Self.linesOfTheClient(in: run.text) == [])
    }
}
