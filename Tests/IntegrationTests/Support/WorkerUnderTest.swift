import Foundation
import UpstreamSimulator
import WorkerTestSupport

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The worker's executable as a process, as an operator would run it.
final class WorkerUnderTest {
    private let process: TestProcess
    private let output: ProcessOutput
    private let folder: TemporaryFolder
    private let settings: URL

    /// Where this package's executables are: beside the test runner.
    private static var products: URL {
        URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    }

    static func path(of executable: String) throws -> String {
        let candidates = [
            self.products, URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent(),
        ]
        .map { $0.appendingPathComponent(executable).path }
        struct NotBuilt: Error { var looked: [String] }
        guard let found = candidates.first(where: FileManager.default.isExecutableFile) else {
            throw NotBuilt(looked: candidates)
        }
        return found
    }

    convenience init(
        _ cluster: TestCluster,
        upstream: String,
        brokers: String? = nil,
        kafka: String = "session_timeout: 6s",
        level: String = "info",
        more: String = "",
        command: [String] = ["run"]
    ) throws {
        try self.init(
            "activation-worker",
            Self.text(cluster, upstream, brokers ?? cluster.brokers, kafka, level, more),
            command: command
        )
    }

    /// - Parameters:
    ///   - text: its settings file.
    ///   - command: what it is asked to do.
    init(_ executable: String, _ text: String, command: [String] = ["run"]) throws {
        self.output = try ProcessOutput()
        self.folder = try TemporaryFolder()
        self.settings = try self.folder.write(text, to: "settings.yaml")
        self.process = try TestProcess(
            try Self.path(of: executable),
            command + ["--config", self.settings.path],
            output: .pipe(self.output.pipe),
            error: .pipe(self.output.pipe)
        )
    }

    deinit {
        self.process.send(SIGKILL)
        self.process.wait()
    }

    var settingsPath: String { self.settings.path }

    /// The output so far.
    var log: String { self.output.text }

    /// Waits until the log holds this, or the time is up.
    func waitForLog(_ text: String, atMost longest: Duration = .patience) -> Bool {
        self.output.wait(for: text, atMost: longest)
    }

    /// Waits until the log holds this text so many times, or the time is up.
    func waitForLog(_ text: String, times: Int, atMost longest: Duration = .patience) -> Bool {
        self.output.wait(atMost: longest) { $0.ranges(of: text).count >= times }
    }

    private struct NoPort: Error { var log: String }

    /// The port of the health server, which stands in the log.
    func healthPort() throws -> Int {
        guard self.waitForLog("health and metrics"), let line = self.log.firstRange(of: "port="),
            let port = Int(self.log[line.upperBound...].prefix { $0.isNumber })
        else { throw NoPort(log: self.log) }
        return port
    }

    /// Asks the health server.
    func page(_ path: String) async throws -> (status: Int, text: String) {
        guard let url = URL(string: "http://127.0.0.1:\(try self.healthPort())\(path)") else {
            throw NoPort(log: self.log)
        }
        let (data, response) = try await URLSession.shared.data(from: url)
        return ((response as? HTTPURLResponse)?.statusCode ?? 0, String(decoding: data, as: UTF8.self))
    }

    /// Asks the health server until its answer is as wanted.
    ///
    /// - Returns: false if the time was up first.
    func waitForPage(
        _ path: String,
        atMost longest: Duration = .patience,
        where holds: (_ status: Int, _ text: String) -> Bool
    ) async throws -> Bool {
        let deadline = ContinuousClock.now + longest
        while ContinuousClock.now < deadline {
            let page = try await self.page(path)
            if holds(page.status, page.text) { return true }
        }
        return false
    }

    func send(_ signal: Int32) { self.process.send(signal) }

    /// Waits for the end of the process, and until all that it has written is in the log. A process that it has started
    /// may live on with its output, and is not awaited for long.
    ///
    /// - Returns: its exit status, or 128 and the signal that ended it.
    func exitStatus() -> Int32 {
        let status = self.process.wait()
        _ = self.output.waitForEnd(atMost: .seconds(30))
        return status
    }

    /// Waits until the process and all that it has started have ended: they share its output.
    func waitForAllToEnd(atMost longest: Duration = .patience) -> Bool {
        self.output.waitForEnd(atMost: longest)
    }

    /// Ends it as a supervisor would, and says how it ended.
    func stop() -> Int32 {
        self.send(SIGTERM)
        return self.exitStatus()
    }

    private static func text(
        _ cluster: TestCluster,
        _ upstream: String,
        _ brokers: String,
        _ kafka: String,
        _ level: String,
        _ more: String
    ) -> String {
        """
        kafka:
          brokers: \(brokers)
          \(kafka)
          topic: \(cluster.input)
          group: \(cluster.input)
          fetch_wait: 5ms
        gdt:
          url: \(upstream)
          apps:
            - app_id: 112233
              advertiser_id: 10000
              sign_key: test_sign_key
              encrypt_key: test_encrypt_key
        health:
          host: 127.0.0.1
          port: 0
        log:
          format: text
          level: \(level)
        \(more)
        """
    }
}
