import EventThread
package import Kafka
package import Terminal
package import UpstreamHTTP

/// An object with descriptors, which the harness's event loop waits for and serves.
package protocol Attended: AnyObject {
    /// Descriptors that are readable when `serve` has something to do. Their number never changes.
    var descriptors: [Int32] { get }
    /// Handles what has arrived.
    func serve()
}

/// The event loop of a demo, a chaos run or a comparison. It is the only place that waits: for child
/// processes, Kafka clients, HTTP responses and a request to stop.
///
/// The harness belongs to one thread. Its owner calls `turn` repeatedly.
package final class Harness {
    /// The user has stopped the run, or its output is no longer read.
    package struct Interrupted: Error {
        package init() {}
    }

    /// The longest time of one turn, so that the shown status stays up to date.
    private static let refresh = Duration.milliseconds(100)

    package let screen = Screen()
    private let wish: StopWish
    private let http: HTTPClient
    private var children: [CapturedProcess] = []
    /// The closures that receive the lines of standard error of each process.
    private var heard: [(child: CapturedProcess, line: (String) -> Void)] = []
    private var attended: [any Attended] = []
    private var requests: UInt64 = 0
    private var answers: [UInt64: Result<HTTPResponse, TransferError>] = [:]
    private var deadline: ContinuousClock.Instant?
    /// The number of requests to stop that have been handled.
    private var grantedWishes = 0

    package init(_ wish: StopWish) throws {
        self.wish = wish
        self.http = try HTTPClient(
            HTTPClientSettings(connectTimeout: .seconds(1), requestTimeout: .seconds(2))
        )
    }

    /// Sets the time after which a turn fails; nil for no limit.
    package func end(by deadline: ContinuousClock.Instant?) { self.deadline = deadline }

    /// Marks the requests to stop so far as handled, so that the run can go on to its end.
    package func grantWish() { self.grantedWishes = self.wish.count }

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - mayEnd: whether the process may exit by itself. Otherwise its exit makes the next turn fail.
    ///   - line: called with each line of the program's standard error.
    package func start(
        _ role: String,
        _ program: String,
        arguments: [String],
        mayEnd: Bool = false,
        hearing line: @escaping (String) -> Void = { _ in }
    ) throws -> CapturedProcess {
        let child = try CapturedProcess(role, program, arguments: arguments, mayEnd: mayEnd)
        self.children.append(child)
        self.heard.append((child, line))
        return child
    }

    /// Removes a process that has exited.
    package func forget(_ child: CapturedProcess) {
        self.children.removeAll { $0 === child }
        self.heard.removeAll { $0.child === child }
    }

    /// Adds an object that the loop serves from now on.
    package func attend(_ newcomer: some Attended) { self.attended.append(newcomer) }

    /// Makes a reader of committed records that starts at the beginning of the topics.
    package static func reader(of topics: [String], _ brokers: String) throws -> TopicReader {
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
    package func turn() throws {
        self.pause()
        self.serve()
        for child in self.children { if let mishap = child.mishap { throw mishap } }
        guard self.wish.count <= self.grantedWishes, self.screen.isWatched else { throw Interrupted() }
        if let deadline, ContinuousClock.now > deadline { throw Complaint("the time for it is up") }
    }

    /// Takes turns until the condition holds.
    package func turn(until isEnough: () -> Bool) throws {
        while !isEnough() { try self.turn() }
    }

    /// Asks the processes to exit, in this order, and waits for each. A process that takes too long is
    /// killed; a second request to stop kills all.
    package func dismiss(_ leaving: [CapturedProcess], atMost longest: Duration = .seconds(30)) {
        for child in leaving { self.dismissTogether([child], atMost: longest) }
    }

    /// Asks several processes to exit that do not depend on each other: all are asked before the first is
    /// waited for.
    package func dismissTogether(_ leaving: [CapturedProcess], atMost longest: Duration = .seconds(30)) {
        let limit = ContinuousClock.now + longest
        for child in leaving { child.dismiss() }
        var isPatient = true
        while leaving.contains(where: { $0.process.exit == nil }) {
            if isPatient, ContinuousClock.now > limit {
                isPatient = false
                for child in leaving where child.process.exit == nil {
                    self.screen.line("\(child.role) has not ended in \(longest.shown) and is killed")
                }
            }
            if !isPatient || self.wish.count > self.grantedWishes + 1 {
                for child in leaving { child.process.kill9() }
            }
            self.pause()
            self.serve()
        }
    }

    /// The processes that still run, the last started first.
    package var remaining: [CapturedProcess] { self.children.filter { $0.process.exit == nil }.reversed() }

    // MARK: - HTTP

    /// Starts a request.
    ///
    /// - Returns: the id by which `takeAnswer` returns the response.
    package func ask(_ request: HTTPRequest) -> UInt64 {
        self.requests += 1
        self.http.start(request, id: self.requests)
        self.serve()
        return self.requests
    }

    /// The result of a request, once; nil if there is none yet.
    package func takeAnswer(_ id: UInt64) -> Result<HTTPResponse, TransferError>? {
        self.answers.removeValue(forKey: id)
    }

    /// Sends a request and waits for its response.
    ///
    /// - Returns: the body of a response with status 200.
    /// - Throws: `Complaint` for any other result.
    package func fetch(_ request: HTTPRequest) throws -> [UInt8] {
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
        var wait = Wait(on: own + others + self.children.flatMap { $0.process.descriptors })
        let timeout = self.http.timeoutMilliseconds
        wait(atMost: timeout < 0 ? Self.refresh : min(Self.refresh, .milliseconds(Int64(timeout))))
    }

    private func serve() {
        for (child, line) in self.heard { child.serve(line) }
        self.http.serve { id, result in self.answers[id] = result }
        for one in self.attended { one.serve() }
    }
}
