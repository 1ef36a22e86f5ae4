import Glibc
import Harness
import Terminal
import UpstreamHTTP

/// A place in the fleet for one worker, whose process may be replaced many times.
final class WorkerSlot {
    /// The state of the worker's process.
    enum State: Hashable {
        case absent
        case working
        /// The process is stopped by SIGSTOP.
        case paused
        /// The process received SIGTERM at this time.
        case leaving(since: ContinuousClock.Instant)
    }

    let name: String
    /// The name at the start of the line with which the program gives up.
    private let voice: String
    private let command: [String]
    private let harness: Harness
    private let log: Int32
    private(set) var state = State.absent
    /// The number of processes that were started.
    private(set) var lives = 0
    private var child: CapturedProcess?
    /// The port of the worker's metrics, as its log states it; nil before that.
    private var port: String?
    /// The port at which a gateway takes requests; nil before its log states it, and for workers.
    private var listeningPort: String?
    /// Whether the run has killed the process. Its exit then means nothing.
    private var isKilled = false

    /// - Parameters:
    ///   - voice: the name with which the program complains.
    ///   - command: the worker's program with its command.
    ///   - log: the descriptor that the worker's log is written to, which this object closes; -1 for none.
    init(_ name: String, voice: String, command: [String], on harness: Harness, log: Int32) {
        self.name = name
        self.voice = voice
        self.command = command
        self.harness = harness
        self.log = log
    }

    deinit { if self.log >= 0 { close(self.log) } }

    /// Starts a process with this settings file, unless one is running.
    func start(_ settings: String) throws {
        guard self.child == nil else { return }
        self.lives += 1
        self.port = nil
        self.isKilled = false
        self.listeningPort = nil
        let program = try Sibling.path(of: self.command[0])
        // A worker does not know its parent. `flotilla-lab leash` ends it if this process is killed.
        let words = ["leash", "--", program] + self.command.dropFirst() + ["--config", settings]
        self.child = try self.harness.start(
            self.name,
            try Sibling.path(of: "flotilla-lab"),
            arguments: words,
            mayEnd: true
        ) {
            [weak self] line in self?.noted(line)
        }
        self.state = .working
    }

    /// Writes a line of the worker's standard error to its log, and looks for the port of the metrics.
    private func noted(_ line: String) {
        if self.log >= 0 { Console.write(Array("\(line)\n".utf8), to: self.log) }
        guard self.port == nil || self.listeningPort == nil, let event = WorkerEvent(line) else { return }
        if event.message == "health and metrics" { self.port = event.port }
        if event.message == "listening" { self.listeningPort = event.port }
    }

    /// The request for the worker's metrics; nil if the worker is not running or has not logged its port yet.
    var metricsRequest: HTTPRequest? {
        guard self.state == .working, let port = self.port else { return nil }
        return HTTPRequest(method: .get, url: "http://127.0.0.1:\(port)/metrics")
    }

    /// The address of a gateway; nil if it does not run or does not listen yet.
    var gateway: String? {
        guard self.child != nil, let port = self.listeningPort else { return nil }
        return "http://127.0.0.1:\(port)"
    }

    /// Sends SIGKILL.
    func kill() {
        guard self.child != nil else { return }
        self.isKilled = true
        self.child?.process.kill9()
    }

    /// Sends SIGSTOP to a running worker.
    func pause() {
        guard self.state == .working else { return }
        self.child?.process.tell(LeashOrder.pause.rawValue)
        self.state = .paused
    }

    /// Sends SIGCONT to a stopped worker.
    func resume() {
        guard self.state == .paused else { return }
        self.child?.process.tell(LeashOrder.resume.rawValue)
        self.state = .working
    }

    /// Sends SIGTERM.
    func dismiss() {
        guard self.state == .working || self.state == .paused else { return }
        self.child?.dismiss()
        self.state = .leaving(since: .now)
    }

    /// The way in which a process ended.
    enum End: Hashable {
        /// The process was killed, or it was stopped before it had begun.
        case killed
        /// The process exited after SIGTERM; with the time that it took.
        case left(ChildProcess.Exit, after: Duration)
        /// A Kafka client of the worker failed permanently. The worker has said so, and must be started
        /// again.
        case gaveUp(lastWords: String)
        /// The process exited by itself.
        case died(ChildProcess.Exit, lastWords: String)
    }

    /// Returns how the process has ended, once per process; nil while it runs.
    func takeEnd() -> End? {
        guard let child, let exit = child.process.exit else { return nil }
        self.harness.forget(child)
        self.child = nil
        defer { self.state = .absent }
        if self.isKilled { return .killed }
        if case .leaving(let since) = self.state {
            // A process that has not told its port yet does not serve, so SIGTERM may end it like any program.
            let isUnborn = self.port == nil && exit == .code(128 + SIGTERM)
            return isUnborn ? .killed : .left(exit, after: since.duration(to: .now))
        }
        return Self.end(of: self.voice, with: exit, child.lastWords)
    }

    /// Classifies the exit of a worker that was not stopped.
    static func end(of program: String, with exit: ChildProcess.Exit, _ lastWords: [String]) -> End {
        if exit == .code(1), let last = lastWords.last, last.hasPrefix("\(program): "),
            last.contains("(librdkafka ")
        {
            return .gaveUp(lastWords: last)
        }
        return .died(exit, lastWords: lastWords.suffix(3).joined(separator: " | "))
    }
}
