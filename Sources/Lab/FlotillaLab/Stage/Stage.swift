import EventThread
import Kafka
import Terminal
import UpstreamHTTP

/// An object with descriptors, which the stage's event loop waits for and serves.
protocol Attended: AnyObject {
    /// Descriptors that are readable when `serve` has something to do. Their number never changes.
    var descriptors: [Int32] { get }
    /// Handles what has arrived.
    func serve()
}

/// The event loop of a demo, a chaos run or a comparison. It is the only place that waits: for child
/// processes, Kafka clients, HTTP responses and a request to stop.
///
/// The stage belongs to one thread. Its owner calls `turn` repeatedly.
final class Stage {
    /// The user has stopped the run, or its output is no longer read.
    struct Interrupted: Error {}

    /// The longest time of one turn, so that the shown status stays up to date.
    private static let refresh = Duration.milliseconds(100)

    let screen = Screen()
    private let wish: StopWish
    private let http: HTTPClient
    private var performers: [Performer] = []
    /// The closures that receive the lines of standard error of each process.
    private var heard: [(performer: Performer, line: (String) -> Void)] = []
    private var attended: [any Attended] = []
    private var requests: UInt64 = 0
    private var answers: [UInt64: Result<HTTPResponse, TransferError>] = [:]
    private var deadline: ContinuousClock.Instant?
    /// The number of requests to stop that have been handled.
    private var grantedWishes = 0

    init(_ wish: StopWish) throws {
        self.wish = wish
        self.http = try HTTPClient(
            HTTPClientSettings(connectTimeout: .seconds(1), requestTimeout: .seconds(2))
        )
    }

    /// Sets the time after which a turn fails; nil for no limit.
    func end(by deadline: ContinuousClock.Instant?) { self.deadline = deadline }

    /// Marks the requests to stop so far as handled, so that the run can go on to its end.
    func grantWish() { self.grantedWishes = self.wish.count }

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - mayEnd: whether the process may exit by itself. Otherwise its exit makes the next turn fail.
    ///   - line: called with each line of the program's standard error.
    func start(
        _ role: String,
        _ program: String,
        _ arguments: [String],
        mayEnd: Bool = false,
        hearing line: @escaping (String) -> Void = { _ in }
    ) throws -> Performer {
        let performer = try Performer(role, program, arguments, mayEnd: mayEnd)
        self.performers.append(performer)
        self.heard.append((performer, line))
        return performer
    }

    /// Removes a process that has exited.
    func forget(_ performer: Performer) {
        self.performers.removeAll { $0 === performer }
        self.heard.removeAll { $0.performer === performer }
    }

    /// Adds an object that the loop serves from now on.
    func attend(_ newcomer: some Attended) { self.attended.append(newcomer) }

    /// Makes a reader of committed records that starts at the beginning of the topics.
    static func reader(of topics: [String], _ brokers: String) throws -> TopicReader {
        // Outcomes of transactions that are not committed do not count. Records without a transaction are
        // always visible.
        let properties = [
            "bootstrap.servers": brokers, "fetch.wait.max.ms": "10", "isolation.level": "read_committed",
        ]
        return try TopicReader(topics, from: .beginning, properties, atMost: .seconds(10))
    }

    /// Waits until something happens, for 100 ms at most, and handles it.
    ///
    /// - Throws: `Interrupted` after a request to stop, or `Complaint` if a process has failed or the time
    ///   limit has passed.
    func turn() throws {
        self.pause()
        self.serve()
        for performer in self.performers { if let mishap = performer.mishap { throw mishap } }
        guard self.wish.count <= self.grantedWishes, self.screen.isWatched else { throw Interrupted() }
        if let deadline, ContinuousClock.now > deadline { throw Complaint("the time for it is up") }
    }

    /// Takes turns until the condition holds.
    func turn(until isEnough: () -> Bool) throws {
        while !isEnough() { try self.turn() }
    }

    /// Asks the processes to exit, in this order, and waits for each. A process that takes too long is
    /// killed; a second request to stop kills all.
    func dismiss(_ leaving: [Performer], atMost longest: Duration = .seconds(30)) {
        for performer in leaving { self.dismissTogether([performer], atMost: longest) }
    }

    /// Asks several processes to exit that do not depend on each other: all are asked before the first is
    /// waited for.
    func dismissTogether(_ leaving: [Performer], atMost longest: Duration = .seconds(30)) {
        let limit = ContinuousClock.now + longest
        for performer in leaving { performer.dismiss() }
        while leaving.contains(where: { $0.process.exit == nil }) {
            if ContinuousClock.now > limit || self.wish.count > self.grantedWishes + 1 {
                for performer in leaving { performer.process.kill9() }
            }
            self.pause()
            self.serve()
        }
    }

    /// The processes that still run, the last started first.
    var remaining: [Performer] { self.performers.filter { $0.process.exit == nil }.reversed() }

    // MARK: - HTTP

    /// Starts a request.
    ///
    /// - Returns: the id by which `takeAnswer` returns the response.
    func ask(_ request: HTTPRequest) -> UInt64 {
        self.requests += 1
        self.http.start(request, id: self.requests)
        self.serve()
        return self.requests
    }

    /// The result of a request, once; nil if there is none yet.
    func takeAnswer(_ id: UInt64) -> Result<HTTPResponse, TransferError>? {
        self.answers.removeValue(forKey: id)
    }

    /// Sends a request and waits for its response.
    ///
    /// - Returns: the body of a response with status 200.
    /// - Throws: `Complaint` for any other result.
    func fetch(_ request: HTTPRequest) throws -> [UInt8] {
        let id = self.ask(request)
        while true {
            switch self.takeAnswer(id) {
            case .success(let response) where response.status == 200: return response.body
            case .success(let response):
                throw Complaint("\(request.url) answers with status \(response.status)")
            case .failure(let error): throw Complaint("\(request.url) does not answer: \(error.message)")
            case nil: try self.turn()
            }
        }
    }

    // MARK: - The loop

    private func pause() {
        let own = [self.wish.descriptor, self.http.descriptor]
        let others = self.attended.flatMap(\.descriptors)
        var wait = Wait(on: own + others + self.performers.flatMap { $0.process.descriptors })
        let timeout = self.http.timeoutMilliseconds
        wait(atMost: timeout < 0 ? Self.refresh : min(Self.refresh, .milliseconds(Int64(timeout))))
    }

    private func serve() {
        for (performer, line) in self.heard { performer.serve(line) }
        self.http.serve { id, result in self.answers[id] = result }
        for one in self.attended { one.serve() }
    }
}
