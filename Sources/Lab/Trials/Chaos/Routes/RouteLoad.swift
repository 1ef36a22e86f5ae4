import Harness
import Kafka
import ServiceKit
import Terminal
import UpstreamHTTP

/// The phones and backends of a chaos run with uploads. Phones send an upload again and again until a gateway
/// has answered it with 200.
final class RouteLoad: Attended {
    /// The uploads in flight at most.
    private static let inFlightLimit = 64
    private static let pause = Duration.milliseconds(200)

    private let processes: RouteProcesses
    private let harness: Harness
    private let producer: Producer
    private let perSecond: Int
    /// The number of inputs of the whole run.
    let count: Int
    private var random: SplitMix64
    private var begun: ContinuousClock.Instant?

    /// The kind of each input so far.
    private(set) var inputs: [RouteInput] = []
    /// The uploads that a gateway has acknowledged, and the records that the broker has.
    private(set) var acknowledged: Set<Int> = []
    /// The number of the input of each record that a backend published, by its place.
    private(set) var places: [String: Int] = [:]
    /// The uploads that are to be sent, with the earliest time.
    private var waiting: [(number: Int, at: ContinuousClock.Instant)] = []
    private var inFlight: [UInt64: Int] = [:]
    /// Requests, and those that were not answered with 200.
    private(set) var requests = 0
    private(set) var failures = 0
    /// Sentences about answers and deliveries that must not be.
    private(set) var objections: [String] = []

    init(_ processes: RouteProcesses, on harness: Harness) throws {
        self.processes = processes
        self.harness = harness
        self.perSecond = processes.options.rate
        self.count = Int(processes.options.length / .seconds(1)) * processes.options.rate
        self.random = SplitMix64(seed: processes.options.seed)
        self.producer = try Producer([
            "bootstrap.servers": processes.cluster.brokers, "linger.ms": "5", "message.timeout.ms": "120000",
            "reconnect.backoff.max.ms": "1000",
        ])
    }

    var descriptors: [Int32] { [self.producer.descriptor] }

    /// Whether every input was made and is acknowledged.
    var isAcknowledged: Bool { self.inputs.count == self.count && self.acknowledged.count == self.count }

    func begin() { self.begun = .now }

    func serve() {
        self.producer.serve { receipt in
            let number = Int(receipt.id)
            guard receipt.error == nil else {
                return self.objections.append("input \(number) was not delivered")
            }
            let partition = receipt.partition
            self.places["\(partition.topic)/\(partition.partition)/\(receipt.offset)"] = number
            self.acknowledged.insert(number)
        } _: { _ in
        }
    }

    /// Makes the inputs that are due by now, and sends uploads.
    func turn() throws {
        guard let begun else { return }
        let wanted = min(self.count, Int(begun.duration(to: .now) / .seconds(1) * Double(self.perSecond)))
        while self.inputs.count < wanted { try self.make() }
        for (id, number) in self.inFlight { self.takeAnswer(id, number) }
        self.sendUploads()
    }

    private func make() throws {
        let kind = RouteInput.drawn(using: &self.random)
        self.inputs.append(kind)
        let number = self.inputs.count
        guard kind != .upload else { return self.waiting.append((number, .now)) }
        let record = kind.record(
            number,
            to: self.processes.topics.activations,
            now: Moment.now.wall,
            callbackTo: self.processes.marketing
        )
        try self.producer.send(record, id: UInt64(number))
    }

    private func takeAnswer(_ id: UInt64, _ number: Int) {
        guard let answer = self.harness.takeAnswer(id) else { return }
        self.inFlight[id] = nil
        if case .success(let response) = answer {
            if response.status == 200 {
                self.acknowledged.insert(number)
                return
            }
            if response.status != 503 {
                self.objections.append("upload \(number) was answered with \(response.status)")
            }
        }
        self.failures += 1
        self.waiting.append((number, .now + Self.pause))
    }

    private func sendUploads() {
        guard let gateway = self.processes.gateways.slots.lazy.compactMap(\.gateway).first else { return }
        var rest: [(number: Int, at: ContinuousClock.Instant)] = []
        for upload in self.waiting {
            guard upload.at <= .now, self.inFlight.count < Self.inFlightLimit else {
                rest.append(upload)
                continue
            }
            self.requests += 1
            self.inFlight[self.harness.ask(self.request(upload.number, to: gateway))] = upload.number
        }
        self.waiting = rest
    }

    /// The request of an upload, in a form that its number decides. Each request has a time of its own.
    private func request(_ number: Int, to gateway: String) -> HTTPRequest {
        let form = UploadForm.all[number % UploadForm.all.count]
        let now = Moment.now.wall
        let events = PhoneEvents(RouteInput.events, of: RouteInput.phone(number), from: self.time(of: number))
        return HTTPRequest(
            method: .post,
            url: "\(gateway)/v3/projects/\(RouteProcesses.project)/collect?stm=\(now)",
            headers: form.headers.map { HTTPHeader($0.name, $0.value) },
            body: form.body(of: events, stm: now)
        )
    }

    /// The time of an input's events: the same in each request.
    private func time(of number: Int) -> Int64 { self.firstTime + Int64(number) }

    private let firstTime = Moment.now.wall - 60_000
}
