import Fleet
import Glibc
import Harness
import ServiceKit
import Terminal
import UpstreamHTTP

/// One worker in the demo: its process, its addresses, and the records in its topics.
final class DemoWorker {
    /// The exit of the worker's process, and the time from SIGTERM to it.
    struct Exit {
        var exit: ChildProcess.Exit
        var took: Duration
    }

    let demo: any WorkerDemo
    let traffic: Traffic
    private let harness: Harness
    private let folder: TemporaryFolder
    /// The descriptor of the file for the worker's log.
    private let log: Int32
    private(set) var child: CapturedProcess?
    private var upstream = ""
    /// The port of the worker's health and metrics endpoint; nil until the worker has logged it.
    private var port: String?
    /// Whether the worker has logged an assignment of partitions.
    private var hasPartitions = false

    init(_ demo: any WorkerDemo, on harness: Harness, in folder: TemporaryFolder) throws {
        self.demo = demo
        self.traffic = Traffic(demo.results, statements: demo.statementTopics) { demo.take($0) }
        self.harness = harness
        self.folder = folder
        let path = folder.file("\(demo.worker.name).log")
        self.log = unsafe open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard self.log >= 0 else { throw Complaint("cannot write \(path): \(FileFailure.last().reason)") }
    }

    deinit { close(self.log) }

    var logPath: String { self.folder.file("\(self.demo.worker.name).log") }

    /// Writes the settings, starts the worker, and connects to its topics.
    func start(brokers: String, upstream: String) throws {
        self.upstream = upstream
        let name = "\(self.demo.worker.name).yaml"
        // The worker's record of its own crashes is kept in the demo's folder, which is deleted in the end.
        let crashes = self.folder.file("\(self.demo.worker.name).crashes")
        try self.demo.write(
            to: name,
            brokers: brokers,
            upstream: upstream,
            worker: ["crash_folder: \(crashes)"]
        )
        let program = try Sibling.path(of: self.demo.worker.name)
        // A worker does not know its parent. `flotilla-lab leash` ends it if the demo is killed.
        self.child = try self.harness.start(
            self.demo.worker.name,
            try Sibling.path(of: "flotilla-lab"),
            arguments: ["leash", "--", program, "run", "--config", self.folder.file(name)]
        ) { [weak self] line in
            self?.noted(line)
        }
        try self.traffic.connect(to: brokers, reading: self.topics)
    }

    /// The topics that the worker writes to.
    var topics: [String] { [self.demo.worker.resultTopic, self.demo.worker.deadLetterTopic] }

    /// The log messages that show that a worker has its partitions: `assigned` from the engine of calls,
    /// `took up partitions` from the engine of states.
    private static let wordsOfReadiness: Set = ["assigned", "took up partitions"]

    /// Writes a line of the worker's standard error to its log, and looks for its port and its assignment.
    private func noted(_ line: String) {
        Console.write(Array("\(line)\n".utf8), to: self.log)
        guard let event = WorkerEvent(line) else { return }
        if event.message == "health and metrics" { self.port = event.port }
        if Self.wordsOfReadiness.contains(event.message) { self.hasPartitions = true }
    }

    /// Whether the worker has its partitions and its metrics can be read.
    var isReady: Bool { self.hasPartitions && self.port != nil }

    var address: String { "http://127.0.0.1:\(self.port ?? "0")" }

    var upstreamAddress: String { self.upstream }

    var metricsRequest: HTTPRequest { HTTPRequest(method: .get, url: "\(self.address)/metrics") }

    func upstreamRequest(_ path: String, posting body: [UInt8]? = nil) -> HTTPRequest {
        HTTPRequest(method: body == nil ? .get : .post, url: "\(self.upstream)\(path)", body: body)
    }
}
