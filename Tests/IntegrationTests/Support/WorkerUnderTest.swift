import Foundation
import Synchronization
import UpstreamSimulator

/// The worker's executable as a process, as an operator would run it.
final class WorkerUnderTest {
    private let process = Process()
    private let output = Pipe()
    private let collected = Collected()
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

    init(
        _ cluster: TestCluster,
        upstream: String,
        more: String = "",
        arguments: [String] = []
    ) throws {
        self.settings = FileManager.default.temporaryDirectory
            .appendingPathComponent("flotilla-\(UUID().uuidString).yaml")
        try Self.text(cluster, upstream, more).write(to: self.settings, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: self.settings.path)
        self.process.executableURL = URL(fileURLWithPath: try Self.path(of: "activation-worker"))
        self.process.arguments = ["run", "--config", self.settings.path] + arguments
        self.process.standardError = self.output
        self.process.standardOutput = self.output
        self.output.fileHandleForReading.readabilityHandler = { [collected] handle in
            collected.add(handle.availableData)
        }
        try self.process.run()
    }

    deinit {
        if self.process.isRunning {
            kill(self.process.processIdentifier, SIGKILL)
            self.process.waitUntilExit()
        }
        self.output.fileHandleForReading.readabilityHandler = nil
        try? FileManager.default.removeItem(at: self.settings)
    }

    /// What it has written so far.
    var log: String { self.collected.text }

    func send(_ signal: Int32) { kill(self.process.processIdentifier, signal) }

    /// Waits for the end of the process.
    ///
    /// - Returns: its exit status, or 128 and the signal that ended it.
    func exitStatus() -> Int32 {
        self.process.waitUntilExit()
        return self.process.terminationReason == .exit
            ? self.process.terminationStatus : 128 + self.process.terminationStatus
    }

    /// Ends it as a supervisor would, and says how it ended.
    func stop() -> Int32 {
        self.send(SIGTERM)
        return self.exitStatus()
    }

    private static func text(_ cluster: TestCluster, _ upstream: String, _ more: String) -> String {
        """
        kafka:
          brokers: \(cluster.brokers)
          topic: \(cluster.input)
          group: \(cluster.input)
          session_timeout: 6s
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
        \(more)
        """
    }
}

private final class Collected: Sendable {
    private let bytes = Mutex<[UInt8]>([])
    func add(_ data: Data) { self.bytes.withLock { $0 += data } }
    var text: String { String(decoding: self.bytes.withLock { $0 }, as: UTF8.self) }
}
