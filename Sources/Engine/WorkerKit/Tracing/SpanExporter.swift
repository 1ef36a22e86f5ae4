import EventThread
import Glibc
import Logging
import ServiceKit
import ServiceLifecycle
import UpstreamHTTP

/// Sends finished spans to a collector, on a thread of its own. The engine never waits for it: what the collector
/// does not take in time is dropped and counted.
struct SpanExporter: Service {
    /// Spans on their way, as one request.
    private struct Shipment {
        var request: HTTPRequest
        var count: Int
        var tries = 0
        /// The monotonic time of the next try; nil while the request is out.
        var dueAt: Int64? = .min
    }

    /// The longest time that a span waits before it is sent.
    private static let interval = Duration.seconds(2)
    /// The tries of one request.
    private static let triesLimit = 4
    private static let backoff = Backoff(base: .milliseconds(500), longest: .seconds(5))
    /// The time that a stop leaves for the spans that wait.
    private static let stopLimit = Duration.seconds(1)

    private let queue: SpanQueue
    private let url: String
    private let http: HTTPClientSettings
    private let resource: [(String, String)]
    private let logger: Logger
    private let stop = StopRequest()

    /// - Parameters:
    ///   - url: The URL that spans are sent to.
    ///   - http: The settings of calls to the upstream, of which the certificate authorities are used.
    init(_ queue: SpanQueue, to url: String, worker: String, http: HTTPClientSettings, logger: Logger) {
        self.queue = queue
        self.url = url
        self.http = HTTPClientSettings(
            connectTimeout: .seconds(2),
            requestTimeout: .seconds(5),
            connectionLimit: 1,
            responseBytesLimit: 65_536,
            keptHeaders: [],
            certificateAuthorityFile: http.certificateAuthorityFile,
            userAgent: http.userAgent
        )
        self.resource = [
            ("service.name", worker), ("service.version", WorkerIdentity.version),
            ("service.instance.id", Self.instance), ("telemetry.sdk.name", "flotilla"),
            ("telemetry.sdk.language", "swift"),
        ]
        self.logger = logger
    }

    /// The name of the machine and the number of the process.
    private static var instance: String {
        var name = [CChar](repeating: 0, count: 256)
        unsafe gethostname(&name, name.count - 1)
        let host = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        return "\(host):\(getpid())"
    }

    /// Sends until the service group shuts down, and then what is left, for a second at most.
    func run() async throws {
        try await withGracefulShutdownHandler {
            try await EventThread.run { try self.serve() }
        } onGracefulShutdown: {
            self.stop.request()
        }
    }

    private func serve() throws {
        let client = try HTTPClient(self.http)
        defer { client.close() }
        var wait = Wait(on: [self.stop.bell.descriptor, self.queue.bell.descriptor, client.descriptor])
        var shipment: Shipment?
        var nextShipment = Moment.now.after(Self.interval)
        var stopBy: Int64?
        var random = SplitMix64(seed: .random(in: .min ... .max))
        var isTold = false
        while true {
            self.stop.bell.answer()
            self.queue.bell.answer()
            client.serve { _, result in
                guard var ended = shipment else { return }
                switch Self.answer(result) {
                case .taken:
                    self.queue.exported(ended.count)
                    isTold = false
                    shipment = nil
                case .tryAgain where ended.tries < Self.triesLimit && stopBy == nil:
                    let pause = Self.backoff.delay(afterFailures: ended.tries, using: &random)
                    ended.dueAt = Moment.now.after(pause)
                    shipment = ended
                case .tryAgain, .refused:
                    self.queue.dropped(ended.count, because: .notTaken)
                    if !isTold { self.tell(result) }
                    isTold = true
                    shipment = nil
                }
            }
            let now = Moment.now
            if stopBy == nil, self.stop.isRequested { stopBy = now.after(Self.stopLimit) }
            let isDue = self.queue.count >= SpanQueue.batch || now.monotonic >= nextShipment || stopBy != nil
            if shipment == nil, isDue {
                shipment = self.nextShipment()
                nextShipment = now.after(Self.interval)
            }
            if let stopBy, shipment == nil || now.monotonic >= stopBy {
                let lost = (shipment?.count ?? 0) + self.queue.take(atMost: SpanQueue.limit).count
                return self.queue.dropped(lost, because: .notTaken)
            }
            if var ready = shipment, let due = ready.dueAt, now.monotonic >= due {
                ready.tries += 1
                ready.dueAt = nil
                shipment = ready
                client.start(ready.request, id: 1)
                continue
            }
            let due = shipment == nil ? nextShipment : shipment?.dueAt ?? .max
            let next = min(due, stopBy ?? .max)
            var longest = Duration.nanoseconds(max(0, next.subtractingClamped(now.monotonic)))
            let timeout = client.timeoutMilliseconds
            if timeout >= 0 { longest = min(longest, .milliseconds(Int64(timeout))) }
            wait(atMost: min(longest, Self.interval))
        }
    }

    private func nextShipment() -> Shipment? {
        let spans = self.queue.take(atMost: SpanQueue.batch)
        guard !spans.isEmpty else { return nil }
        let body = OTLPRequest.body(spans, resource: self.resource, version: WorkerIdentity.version)
        let request = HTTPRequest(
            method: .post,
            url: self.url,
            headers: [HTTPHeader("Content-Type", "application/json")],
            body: body
        )
        return Shipment(request: request, count: spans.count)
    }

    private enum Answer {
        case taken
        /// The answer is one of those after which OTLP asks a client to try again.
        case tryAgain
        case refused
    }

    private static func answer(_ result: Result<HTTPResponse, TransferError>) -> Answer {
        switch result {
        case .success(let response):
            switch response.status {
            case 200..<300: .taken
            case 429, 502, 503, 504: .tryAgain
            default: .refused
            }
        case .failure: .tryAgain
        }
    }

    private func tell(_ result: Result<HTTPResponse, TransferError>) {
        let cause =
            switch result {
            case .success(let response): "status \(response.status)"
            case .failure(let error): "\(error.message)"
            }
        self.logger.warning(
            "the collector does not take spans: they are dropped and counted",
            metadata: ["cause": "\(cause)"]
        )
    }
}
