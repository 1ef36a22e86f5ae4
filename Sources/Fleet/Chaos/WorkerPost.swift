import Glibc
import Terminal
import UpstreamHTTP
import WorkerKit

/// A place in the fleet, and the worker that holds it at the moment: one life after the other.
final class WorkerPost {
    enum State: Hashable {
        case absent
        case working
        /// Standing still.
        case paused
        /// Told to end, at that time.
        case leaving(since: ContinuousClock.Instant)
    }

    let name: String
    private let program: String
    private let stage: Stage
    private let log: Int32
    private(set) var state = State.absent
    private(set) var lives = 0
    private var performer: Performer?
    private var port: String?
    /// Killed by us: its end says nothing.
    private var isKilled = false

    /// - Parameters:
    ///   - program: the worker that holds it.
    ///   - log: where its log goes; -1 for nowhere.
    init(_ name: String, _ program: String, on stage: Stage, log: Int32) {
        self.name = name
        self.program = program
        self.stage = stage
        self.log = log
    }

    deinit { if self.log >= 0 { close(self.log) } }

    /// Begins a life with these settings, unless there is one.
    func start(_ settings: String) throws {
        guard self.performer == nil else { return }
        self.lives += 1
        self.port = nil
        self.isKilled = false
        let program = try Sibling.path(of: self.program)
        // A worker knows nothing of its parent, and must not stay behind if we are killed.
        let words = ["leash", "--", program, "run", "--config", settings]
        self.performer = try self.stage.start(self.name, try Sibling.path(of: "fleet"), words, mayEnd: true) {
            [weak self] line in self?.noted(line)
        }
        self.state = .working
    }

    private func noted(_ line: String) {
        if self.log >= 0 { Console.write(Array("\(line)\n".utf8), to: self.log) }
        if self.port == nil, let event = WorkerEvent(line), event.message == "health and metrics" {
            self.port = event.port
        }
    }

    /// Where it tells its numbers; nil if it has not said so yet, or does not answer.
    var metricsRequest: HTTPRequest? {
        guard self.state == .working, let port = self.port else { return nil }
        return HTTPRequest(method: .get, url: "http://127.0.0.1:\(port)/metrics")
    }

    func kill() {
        guard self.performer != nil else { return }
        self.isKilled = true
        self.performer?.process.kill9()
    }

    func pause() {
        guard self.state == .working else { return }
        self.performer?.process.pause()
        self.state = .paused
    }

    func resume() {
        guard self.state == .paused else { return }
        self.performer?.process.resume()
        self.state = .working
    }

    func dismiss() {
        guard self.state == .working || self.state == .paused else { return }
        self.performer?.dismiss()
        self.state = .leaving(since: .now)
    }

    /// How a life ended.
    enum End: Hashable {
        case killed
        /// After SIGTERM, and how long that took.
        case left(ChildProcess.Exit, after: Duration)
        /// A Kafka client was of no use any more: the worker has said so, and is to be started again.
        case gaveUp(lastWords: String)
        /// Nobody had asked for it.
        case died(ChildProcess.Exit, lastWords: String)
    }

    /// Says once how the life that there was has ended.
    func takeEnd() -> End? {
        guard let performer, let exit = performer.process.exit else { return nil }
        self.stage.forget(performer)
        self.performer = nil
        defer { self.state = .absent }
        if self.isKilled { return .killed }
        if case .leaving(let since) = self.state { return .left(exit, after: since.duration(to: .now)) }
        return Self.end(of: self.program, with: exit, performer.lastWords)
    }

    /// What a worker that nobody has stopped has died of.
    static func end(of program: String, with exit: ChildProcess.Exit, _ lastWords: [String]) -> End {
        if exit == .code(1), let last = lastWords.last, last.hasPrefix("\(program): "),
            last.contains("(librdkafka ")
        {
            return .gaveUp(lastWords: last)
        }
        return .died(exit, lastWords: lastWords.suffix(3).joined(separator: " | "))
    }
}
