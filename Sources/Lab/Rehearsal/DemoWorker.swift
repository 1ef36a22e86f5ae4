import Fleet
import Harness
import ServiceKit
import Terminal
import UpstreamHTTP

/// One worker in the demo: its processes, their addresses, and the records in its topics.
final class DemoWorker {
    /// The exit of the worker's processes, and the time from SIGTERM to the last.
    struct Exit {
        var exit: ChildProcess.Exit
        var took: Duration
    }

    let demo: any WorkerDemo
    let traffic: Traffic
    private let harness: Harness
    private let folder: TemporaryFolder
    /// The process of the worker.
    private let main: DemoProcess
    /// The worker's process, and those of its companions.
    let processes: [DemoProcess]
    private var upstream = ""
    /// The URL of the gateway; empty before it is known.
    var gateway = ""

    init(_ demo: any WorkerDemo, on harness: Harness, in folder: TemporaryFolder) throws {
        self.demo = demo
        self.traffic = Traffic(of: demo)
        self.harness = harness
        self.folder = folder
        self.main = try DemoProcess(demo.program, in: folder)
        self.processes = [self.main] + (try demo.companions.map { try DemoProcess($0, in: folder) })
    }

    var logPath: String { self.main.logPath }

    /// Writes the settings, starts the processes, and connects to the topics.
    func start(brokers: String, upstream: String) throws {
        self.upstream = upstream
        try self.demo.write(
            to: self.main.settingsName,
            brokers: brokers,
            upstream: upstream,
            worker: ["crash_folder: \(self.main.crashFolder)"]
        )
        for companion in self.processes.dropFirst() {
            let text = self.demo.settings(
                of: companion.program,
                brokers: brokers,
                crashes: companion.crashFolder
            )
            try self.folder.write(text, to: companion.settingsName)
        }
        for process in self.processes { try process.start(on: self.harness) }
        try self.traffic.connect(to: brokers)
    }

    var children: [CapturedProcess] { self.processes.compactMap(\.child) }

    /// The URL of the gateway, if it is a companion of this worker and listens.
    var ownGateway: String? {
        self.processes.lazy.compactMap(\.listeningPort).first.map { "http://127.0.0.1:\($0)" }
    }

    var address: String { self.main.address }

    var upstreamAddress: String { self.upstream }

    var metricsRequest: HTTPRequest { HTTPRequest(method: .get, url: "\(self.address)/metrics") }

    /// - Parameter path: a path of the worker's upstream, or a whole URL.
    func upstreamRequest(_ path: String, posting body: [UInt8]? = nil) -> HTTPRequest {
        HTTPRequest(
            method: body == nil ? .get : .post,
            url: path.hasPrefix("http://") ? path : "\(self.upstream)\(path)",
            body: body
        )
    }

    /// Whether the gateway has answered a request.
    ///
    /// - Throws: `Complaint` if it has answered with another status than 200, or not at all.
    func isAnswered(_ request: UInt64, _ harness: Harness) throws(Complaint) -> Bool {
        switch harness.takeAnswer(request) {
        case nil: return false
        case .success(let response) where response.status == 200: return true
        case .success(let response): throw Complaint("the gateway answers with status \(response.status)")
        case .failure(let error): throw Complaint("the gateway does not answer: \(error.message)")
        }
    }

    /// The exit of all processes: the first that is not 0, if there is one. Nil if one was not running.
    func exit(since start: ContinuousClock.Instant) -> Exit? {
        let ended = self.children.compactMap { child in child.process.exit.map { ($0, child.endedAt ?? .now) }
        }
        guard ended.count == self.processes.count, let last = ended.map(\.1).max() else { return nil }
        let exit = ended.map(\.0).first { $0 != .code(0) } ?? .code(0)
        return Exit(exit: exit, took: start.duration(to: last))
    }
}
