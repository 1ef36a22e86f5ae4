import EventThread
import Kafka
import Terminal
import UpstreamHTTP

/// What somebody on the stage has to be woken for.
protocol Attended: AnyObject {
    /// Readable when `serve` has something to do. Always as many.
    var descriptors: [Int32] { get }
    func serve()
}

/// Everything that a show on real processes waits for, and the one place where it waits: its processes, what it has
/// with the broker, answers over HTTP, and a wish to stop.
final class Stage {
    /// The user does not want to see the rest.
    struct Interrupted: Error {}

    /// A turn ends at least this often, so that what is shown does not stand still.
    private static let refresh = Duration.milliseconds(100)

    let screen = Screen()
    private let wish: StopWish
    private let http: HTTPClient
    private var performers: [Performer] = []
    private var heard: [(performer: Performer, line: (String) -> Void)] = []
    private var attended: [any Attended] = []
    private var requests: UInt64 = 0
    private var answers: [UInt64: Result<HTTPResponse, TransferError>] = [:]
    private var deadline: ContinuousClock.Instant?
    /// Wishes to stop that have been answered.
    private var grantedWishes = 0

    init(_ wish: StopWish) throws {
        self.wish = wish
        self.http = try HTTPClient(
            HTTPClientSettings(connectTimeout: .seconds(1), requestTimeout: .seconds(2))
        )
    }

    /// After this, a turn fails; nil for never.
    func end(by deadline: ContinuousClock.Instant?) { self.deadline = deadline }

    /// Goes on to the end after a wish to stop that was waited for.
    func grantWish() { self.grantedWishes = self.wish.count }

    /// - Parameter mayEnd: whether its end is somebody else's business.
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

    /// Lets go of one that has ended.
    func forget(_ performer: Performer) {
        self.performers.removeAll { $0 === performer }
        self.heard.removeAll { $0.performer === performer }
    }

    /// From now on the loop serves this one too.
    func attend(_ newcomer: some Attended) { self.attended.append(newcomer) }

    static func reader(of topics: [String], _ brokers: String) throws -> TopicReader {
        // An outcome that is not committed has not happened. A broker without transactions commits everything.
        let properties = [
            "bootstrap.servers": brokers, "fetch.wait.max.ms": "10", "isolation.level": "read_committed",
        ]
        return try TopicReader(topics, from: .beginning, properties, atMost: .seconds(10))
    }

    /// Waits for something to happen, for a moment at most, and takes note of it.
    func turn() throws {
        self.pause()
        self.serve()
        for performer in self.performers { if let mishap = performer.mishap { throw mishap } }
        guard self.wish.count <= self.grantedWishes, self.screen.isWatched else { throw Interrupted() }
        if let deadline, ContinuousClock.now > deadline { throw Complaint("the time for it is up") }
    }

    func turn(until isEnough: () -> Bool) throws {
        while !isEnough() { try self.turn() }
    }

    /// Asks everybody to end, in this order, and waits for each. Whoever takes too long is made to, and so is everybody
    /// once the wish to stop has been made again.
    func dismiss(_ leaving: [Performer], atMost longest: Duration = .seconds(30)) {
        for performer in leaving { self.dismissTogether([performer], atMost: longest) }
    }

    /// The same for several that need nothing of each other: all are asked before the first is waited for.
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

    /// Those who still play, in the reverse order of their entrance.
    var remaining: [Performer] { self.performers.filter { $0.process.exit == nil }.reversed() }

    // MARK: - HTTP

    /// Sends a request; its answer can be taken later.
    func ask(_ request: HTTPRequest) -> UInt64 {
        self.requests += 1
        self.http.start(request, id: self.requests)
        self.serve()
        return self.requests
    }

    func takeAnswer(_ id: UInt64) -> Result<HTTPResponse, TransferError>? {
        self.answers.removeValue(forKey: id)
    }

    /// The body of an answer with status 200.
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
