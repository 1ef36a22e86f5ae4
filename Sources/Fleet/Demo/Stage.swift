import EventThread
import Kafka
import Records
import UpstreamHTTP

/// Everything that the demo waits for, and the one place where it waits: its processes, the topics, the broker's
/// acknowledgements, answers over HTTP, and a wish to stop.
final class Stage {
    /// The user does not want to see the rest.
    struct Interrupted: Error {}

    /// A turn ends at least this often, so that what is shown does not stand still.
    private static let refresh = Duration.milliseconds(100)

    let screen = Screen()
    private(set) var register = Register()
    private let wish: StopWish
    private let http: HTTPClient
    private var performers: [Performer] = []
    private var heard: [(performer: Performer, line: (String) -> Void)] = []
    private var producer: Producer?
    private var reader: TopicReader?
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

    func start(
        _ role: String,
        _ program: String,
        _ arguments: [String],
        hearing line: @escaping (String) -> Void = { _ in }
    ) throws -> Performer {
        let performer = try Performer(role, program, arguments)
        self.performers.append(performer)
        self.heard.append((performer, line))
        return performer
    }

    func connect(to brokers: String, reading topics: [String]) throws {
        let properties = ["bootstrap.servers": brokers]
        self.producer = try Producer(properties.merging(["linger.ms": "0"]) { $1 })
        self.reader = try Self.reader(of: topics, brokers)
    }

    static func reader(of topics: [String], _ brokers: String) throws -> TopicReader {
        let properties = ["bootstrap.servers": brokers, "fetch.wait.max.ms": "10"]
        return try TopicReader(topics, from: .beginning, properties, atMost: .seconds(10))
    }

    func publish(_ specimens: [Specimen]) throws {
        guard let producer else { throw Complaint("there is no broker yet") }
        for specimen in specimens {
            try producer.send(specimen.record, id: self.register.published(specimen))
        }
        self.serve()
    }

    /// Waits for something to happen, for a moment at most, and takes note of it.
    func turn() throws {
        self.pause()
        self.serve()
        for performer in self.performers { if let mishap = performer.mishap { throw mishap } }
        guard self.wish.count <= self.grantedWishes, self.screen.isWatched else { throw Interrupted() }
        if let deadline, ContinuousClock.now > deadline { throw Complaint("the time for the demo is up") }
    }

    func turn(until isEnough: () -> Bool) throws {
        while !isEnough() { try self.turn() }
    }

    /// Asks everybody to end, in this order, and waits for each. Whoever takes too long is made to, and so is everybody
    /// once the wish to stop has been made again.
    func dismiss(_ leaving: [Performer], atMost longest: Duration = .seconds(30)) {
        for performer in leaving {
            let limit = ContinuousClock.now + longest
            performer.dismiss()
            while performer.process.exit == nil {
                if ContinuousClock.now > limit || self.wish.count > self.grantedWishes + 1 {
                    performer.process.kill9()
                }
                self.pause()
                self.serve()
            }
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
        let kafka = [self.producer?.descriptor ?? -1, self.reader?.descriptor ?? -1]
        var wait = Wait(on: own + kafka + self.performers.flatMap { $0.process.descriptors })
        let timeout = self.http.timeoutMilliseconds
        wait(atMost: timeout < 0 ? Self.refresh : min(Self.refresh, .milliseconds(Int64(timeout))))
    }

    private func serve() {
        for (performer, line) in self.heard { performer.serve(line) }
        self.http.serve { id, result in self.answers[id] = result }
        self.producer?.serve { receipt in
            self.register.delivered(receipt)
        } _: { _ in
        }
        while let reader, reader.read(atMost: 1_000, { self.register.arrived($0) }, { _ in }) == 1_000 {}
    }
}
