import Glibc
import Terminal
import UpstreamHTTP
import WorkerKit

/// The worker of an act: its process, where it is, what it has to do with the topics, and how it ends.
final class Player {
    /// How its process ended, and how long that took.
    struct Exit {
        var exit: ChildProcess.Exit
        var took: Duration
    }

    let act: any Act
    let traffic: Traffic
    private let stage: Stage
    private let folder: TemporaryFolder
    private let log: Int32
    private(set) var performer: Performer?
    private var upstream = ""
    private var port: String?
    private var hasPartitions = false

    init(_ act: any Act, on stage: Stage, in folder: TemporaryFolder) throws {
        self.act = act
        self.traffic = Traffic(act.results, statements: act.statementTopics) { act.hear($0) }
        self.stage = stage
        self.folder = folder
        let path = folder.file("\(act.worker.name).log")
        self.log = unsafe open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard self.log >= 0 else { throw Complaint("cannot write \(path): \(FileFailure.last().reason)") }
    }

    deinit { close(self.log) }

    var logPath: String { self.folder.file("\(self.act.worker.name).log") }

    func start(brokers: String, upstream: String) throws {
        self.upstream = upstream
        let name = "\(self.act.worker.name).yaml"
        // What it remembers of its own crashes goes with everything else.
        let crashes = self.folder.file("\(self.act.worker.name).crashes")
        try self.act.write(
            to: name,
            brokers: brokers,
            upstream: upstream,
            worker: ["crash_folder: \(crashes)"]
        )
        let program = try Sibling.path(of: self.act.worker.name)
        // A worker knows nothing of its parent, and must not stay behind if the demo is killed.
        self.performer = try self.stage.start(
            self.act.worker.name,
            try Sibling.path(of: "fleet"),
            ["leash", "--", program, "run", "--config", self.folder.file(name)]
        ) { [weak self] line in
            self?.noted(line)
        }
        try self.traffic.connect(to: brokers, reading: self.topics)
    }

    /// Those that it writes to.
    var topics: [String] { [self.act.worker.resultTopic, self.act.worker.deadLetterTopic] }

    /// What a worker's log says when it has its partitions: one that calls, and one that counts.
    private static let wordsOfReadiness: Set = ["assigned", "took up partitions"]

    private func noted(_ line: String) {
        Console.write(Array("\(line)\n".utf8), to: self.log)
        guard let event = WorkerEvent(line) else { return }
        if event.message == "health and metrics" { self.port = event.port }
        if Self.wordsOfReadiness.contains(event.message) { self.hasPartitions = true }
    }

    var isReady: Bool { self.hasPartitions && self.port != nil }

    var address: String { "http://127.0.0.1:\(self.port ?? "0")" }

    var upstreamAddress: String { self.upstream }

    var metricsRequest: HTTPRequest { HTTPRequest(method: .get, url: "\(self.address)/metrics") }

    func upstreamRequest(_ path: String, posting body: [UInt8]? = nil) -> HTTPRequest {
        HTTPRequest(method: body == nil ? .get : .post, url: "\(self.upstream)\(path)", body: body)
    }
}
