import Glibc
import UpstreamHTTP
import WorkerKit

/// The three processes of the demo: how they start, where they are, and how they end.
final class Cast {
    private let stage: Stage
    let traffic: Traffic
    private let file: WorkerFile
    private let log: Int32
    private var worker: Performer?
    private(set) var brokers = ""
    private(set) var upstream = ""
    private var port: String?
    private var hasPartitions = false

    init(on stage: Stage, _ traffic: Traffic, in folder: TemporaryFolder) throws {
        self.stage = stage
        self.traffic = traffic
        self.file = try WorkerFile(in: folder)
        self.log = unsafe open(self.file.logPath, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    }

    deinit { close(self.log) }

    /// Starts everybody and says where they are.
    func enter() throws {
        let screen = self.stage.screen
        screen.line()
        screen.line(
            "A fleet on one machine: a broker, a simulator of GDT, the activation worker",
            .bold
        )
        screen.line()
        let own = try Sibling.path(of: "fleet")
        let broker = try self.stage.start("the broker", own, ["broker", "--until-stdin-closes"])
        let upstream = try self.stage.start(
            "the simulator",
            own,
            ["upstreams", "--scripted", "--until-stdin-closes", "--keys", self.file.upstreamKeysPath]
        )
        screen.show("  starting the broker and the simulator")
        try self.stage.turn { broker.firstLine != nil && upstream.firstLine != nil }
        self.brokers = broker.firstLine ?? ""
        self.upstream = upstream.firstLine ?? ""
        screen.line("  broker   \(self.brokers)  embedded, in memory")
        screen.line("  GDT      \(self.upstream)  simulator, keys of this run only")
        try self.startWorker(own)
        let topics = [Roster.activation.resultTopic, Roster.activation.deadLetterTopic]
        try self.traffic.connect(to: self.brokers, reading: topics)
        screen.show("  worker   joining its consumer group, for which the embedded broker takes 3 s")
        let start = ContinuousClock.now
        try self.stage.turn { self.hasPartitions && self.port != nil }
        let took = Row.text(start.duration(to: .now))
        screen.line("  worker   \(self.address)  ready after \(took)")
    }

    private func startWorker(_ own: String) throws {
        try self.file.write(brokers: self.brokers, upstream: self.upstream)
        let program = try Sibling.path(of: Roster.activation.name)
        // A worker knows nothing of its parent, and must not stay behind if the demo is killed.
        self.worker = try self.stage.start(
            "the worker",
            own,
            ["leash", "--", program, "run", "--config", self.file.path]
        ) { [weak self] line in
            self?.noted(line)
        }
    }

    private func noted(_ line: String) {
        Console.write(Array("\(line)\n".utf8), to: self.log)
        guard let event = WorkerEvent(line) else { return }
        if event.message == "health and metrics" { self.port = event.port }
        if event.message == "assigned" { self.hasPartitions = true }
    }

    var address: String { "http://127.0.0.1:\(self.port ?? "0")" }

    var metricsRequest: HTTPRequest { HTTPRequest(method: .get, url: "\(self.address)/metrics") }

    func upstreamRequest(_ path: String, posting body: String? = nil) -> HTTPRequest {
        HTTPRequest(
            method: body == nil ? .get : .post,
            url: "\(self.upstream)\(path)",
            body: body.map { Array($0.utf8) }
        )
    }

    /// Goes on until somebody has seen enough.
    func stay() throws {
        let screen = self.stage.screen
        let topic = Roster.activation.topic
        self.stage.end(by: nil)
        screen.line()
        screen.line("Everything is left running until Ctrl-C. In another terminal:", .bold)
        screen.line()
        for line in [
            "fleet publish \(topic) --brokers \(self.brokers) --file records.jsonl",
            "fleet read \(topic).result --brokers \(self.brokers) --from-beginning",
            "fleet read \(topic).dead-letter --brokers \(self.brokers) --from-beginning",
            "curl \(self.address)/metrics",
            "curl \(self.upstream)/control/stats",
            "tail -f \(self.file.logPath)",
        ] { screen.line("  \(line)") }
        do {
            while true { try self.stage.turn() }
        } catch is Stage.Interrupted {
            self.stage.grantWish()
        }
    }

    /// Asks the worker to finish what it has in hand and to end.
    ///
    /// - Returns: how it ended, and how long it took.
    func dismissWorker() -> Audit.WorkerExit? {
        guard let worker else { return nil }
        self.stage.screen.show("  SIGTERM to the worker: it drains, commits and leaves its group")
        let start = ContinuousClock.now
        self.stage.dismiss([worker])
        return worker.process.exit.map { Audit.WorkerExit(exit: $0, took: start.duration(to: .now)) }
    }
}
