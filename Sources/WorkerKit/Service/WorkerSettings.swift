import Foundation
package import Operations
package import UpstreamHTTP

/// Everything that every worker can be told, read from its file and the environment.
package struct WorkerSettings: Sendable {
    package var engine: EngineSettings
    package var kafka: KafkaSettings
    package var http: HTTPClientSettings
    package var healthHost: String
    package var healthPort: Int
    package var logFormat: LogFormat
    package var logLevel: String
    package var logSalt: Secret?
    /// How long the cluster may take to answer when the worker starts.
    package var startLimit: Duration
    /// Where it is remembered which records a worker has died of.
    package var crashFolder: String

    /// - Parameters:
    ///   - reader: collects what is wrong; the caller finishes it.
    ///   - identity: what the worker is called, and its topic where none is set.
    package init(_ reader: SettingsReader, _ identity: WorkerIdentity) {
        self.kafka = KafkaSettings(reader.section("kafka"), identity)
        var engine = EngineSettings(
            inputTopic: self.kafka.topic,
            groupID: self.kafka.group,
            worker: identity.name,
            workerVersion: WorkerIdentity.version,
            upstream: identity.upstream
        )
        engine.resultTopic = self.kafka.resultTopic
        engine.deadLetterTopic = self.kafka.deadLetterTopic
        engine.messageBytesLimit = self.kafka.messageBytesLimit
        identity.haste.apply(to: &engine)
        engine.readWork(reader.section("worker"))
        engine.readRetry(reader.section("retry"))
        engine.readBreaker(reader.section("breaker"))
        engine.readHold(reader.section("hold"))
        engine.readBudget(reader.section("budget"))
        engine.readRate(reader.section("rate"))
        self.engine = engine
        self.http = HTTPClientSettings(reader.section("http"), concurrency: engine.concurrency, identity)

        let health = reader.section("health")
        self.healthHost = health.string(
            "host",
            default: "0.0.0.0",
            help: "Address of /livez, /readyz and /metrics."
        )
        self.healthPort = health.int(
            "port",
            default: 9090,
            in: 0...65_535,
            help: "Its port; 0 takes any free one."
        )
        let log = reader.section("log")
        self.logFormat = log.oneOf("format", default: LogFormat.json, help: "How a log line looks.")
        self.logLevel = log.string(
            "level",
            default: "info",
            help: "trace, debug, info, notice, warning, error or critical.",
            must: "be trace, debug, info, notice, warning, error or critical"
        ) { ["trace", "debug", "info", "notice", "warning", "error", "critical"].contains($0) }
        self.logSalt = log.optionalSecret(
            "salt",
            help: "Makes the marks that stand for masked values comparable between processes."
        )
        self.startLimit = self.kafka.startLimit
        let folder = reader.section("worker").optionalString(
            "crash_folder",
            help: "Remembers which records a worker died of. Outlives a container only if it is a volume's; "
                + "by default one in the system's temporary folder."
        )
        self.crashFolder = folder ?? Self.temporaryFolder(of: self.kafka.group)
        for fault in Preflight(engine).faultsOfNames {
            reader.section("kafka").reportFault(fault.setting, fault.problem)
        }
    }
}

extension WorkerSettings {
    /// One for all workers of a group on this machine, and of this user.
    private static func temporaryFolder(of group: String) -> String {
        let name = String(group.map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") ? $0 : "_" })
        return NSTemporaryDirectory() + "flotilla-\(getuid())-\(name)"
    }

    /// - Parameter instance: tells this process from every other. Its transactions are called after it, so that
    ///   nobody else ends them; what it leaves open when it dies ends by `transaction_timeout`.
    func producerProperties(instance: String) -> [String: String] {
        switch self.engine.delivery {
        case .atLeastOnce: self.kafka.producerProperties()
        case .exactlyOnce: self.kafka.producerProperties(transactionalID: "\(self.kafka.group)-\(instance)")
        }
    }
}

/// What a worker is called, everywhere.
package struct WorkerIdentity: Hashable, Sendable {
    package static let version = "0.1.0"

    /// Such as `activation-worker`: the executable, the consumer group and the worker in outcomes.
    package var name: String
    package var topic: String
    /// A word for the upstream, such as `gdt`: in dead letters and metrics.
    package var upstream: String
    /// The longest answer that is read, where no setting says otherwise.
    package var answerBytesLimit: Int
    package var httpVersion: HTTPClientSettings.Version
    /// Header fields of an answer that the handler looks at, besides those that all do.
    package var keptHeaders: [String]
    package var haste: Haste

    package init(
        name: String,
        topic: String,
        upstream: String,
        answerBytesLimit: Int = 8 << 20,
        httpVersion: HTTPClientSettings.Version = .http1,
        keptHeaders: [String] = [],
        haste: Haste = .ordinary
    ) {
        self.name = name
        self.topic = topic
        self.upstream = upstream
        self.answerBytesLimit = answerBytesLimit
        self.httpVersion = httpVersion
        self.keptHeaders = keptHeaders
        self.haste = haste
    }
}

extension EngineSettings {
    fileprivate mutating func readWork(_ reader: SettingsReader) {
        self.delivery = reader.oneOf(
            "delivery",
            default: self.delivery,
            help: "Whether a reader of committed records can see an outcome more than once."
        )
        self.ordering = reader.oneOf(
            "ordering",
            default: self.ordering,
            help: "What keeps its order: the records of a key, of a partition, or none."
        )
        self.concurrency = reader.int(
            "concurrency",
            default: self.concurrency,
            in: 1...50_000,
            help: "Calls in flight at once; more than there are partitions is the point."
        )
        self.pace = reader.oneOf(
            "pace",
            default: self.pace,
            help:
                "Calls in flight: the fixed number, the same with the adaptive one shown, or the adaptive one."
        )
        self.leastConcurrency = reader.int(
            "least_concurrency",
            default: self.leastConcurrency,
            in: 1...50_000,
            help: "The adaptive limit never falls below this."
        )
        self.bypass.threshold = reader.optionalInt(
            "order_bypass",
            in: 1...1_000_000,
            help: "Records waiting behind one key that switch its order off for 20 minutes. Never by default."
        )
        self.attempts = reader.int(
            "attempts",
            default: self.attempts,
            in: 2...1_000,
            help:
                "Counted failures after which a record is dead-lettered. Failures in an outage do not count."
        )
        self.deadline = reader.duration(
            "deadline",
            default: self.deadline,
            in: .seconds(1)...(.seconds(365 * 24 * 3_600)),
            help: "How long after its timestamp a record may still be called for; then it expires."
        )
        self.resultFormat = reader.oneOf(
            "result_format",
            default: self.resultFormat,
            help: "How outcome records are written."
        )
        self.recordsLimit = reader.int(
            "records_limit",
            default: self.recordsLimit,
            in: 100...10_000_000,
            help:
                "Records in hand, waiting ones included. Full of records of held lanes, it stops the others too."
        )
        self.bytesLimit = reader.bytes(
            "bytes_limit",
            default: self.bytesLimit,
            in: (1 << 20)...(64 << 30),
            help: "Bytes of the records in hand."
        )
        self.drainLimit = reader.duration(
            "drain_limit",
            default: self.drainLimit,
            in: .zero ... .seconds(240),
            help: "How long a stop or a rebalance waits for what is in flight."
        )
        self.commitInterval = reader.duration(
            "commit_interval",
            default: self.commitInterval,
            in: .milliseconds(50) ... .seconds(60),
            help: "How often finished offsets are committed."
        )
    }

    fileprivate mutating func readRetry(_ reader: SettingsReader) {
        self.backoff.base = reader.duration(
            "base",
            default: self.backoff.base,
            in: .milliseconds(1) ... .seconds(3_600),
            help: "Bound of the first wait; each further wait may be twice as long. Full jitter."
        )
        self.backoff.longest = reader.duration(
            "longest",
            default: self.backoff.longest,
            in: .milliseconds(1)...(.seconds(24 * 3_600)),
            help: "Bound that the waits stop growing at."
        )
        self.retryTiers = reader.durations(
            "topics",
            in: .seconds(1)...(.seconds(7 * 24 * 3_600)),
            help:
                "Waits such as '1m, 10m, 1h' that are spent in a topic each, `T.retry.1m`, and not in hand. "
                + "Only with worker.ordering: none."
        ).map { RetryTier(topic: "\(self.inputTopic).retry.\($0.text)", delay: $0.duration) }
        if !self.retryTiers.isEmpty, self.ordering != .none {
            reader.reportFault(
                "topics",
                "need worker.ordering: none; with an order kept, records wait in place"
            )
        }
        self.resolvesHeadOfLine = reader.bool(
            "head_of_line",
            default: self.resolvesHeadOfLine,
            help: "Send a failing record elsewhere when it alone holds up a whole partition."
        )
        self.longestGate = reader.duration(
            "longest_gate",
            default: self.longestGate,
            in: .seconds(1)...(.seconds(24 * 3_600)),
            help: "How long Retry-After can stop all calls before a probe asks again."
        )
    }

    fileprivate mutating func readBreaker(_ reader: SettingsReader) {
        self.breaker.consecutiveFailures = reader.int(
            "consecutive_failures",
            default: self.breaker.consecutiveFailures,
            in: 1...100_000,
            help: "Failures in a row that open the circuit breaker."
        )
        self.breaker.minimumCalls = reader.int(
            "minimum_calls",
            default: self.breaker.minimumCalls,
            in: 1...1_000_000,
            help: "Calls within ten seconds before half of them failing opens it."
        )
        self.breaker.firstPause = reader.duration(
            "first_pause",
            default: self.breaker.firstPause,
            in: .milliseconds(10) ... .seconds(3_600),
            help: "How long it stays open before it sends a probe."
        )
        self.breaker.longestPause = reader.duration(
            "longest_pause",
            default: self.breaker.longestPause,
            in: .milliseconds(10) ... .seconds(3_600),
            help: "Bound of that pause, which doubles with each failed probe and each relapse."
        )
    }

    fileprivate mutating func readBudget(_ reader: SettingsReader) {
        self.budget.window = reader.duration(
            "window",
            default: self.budget.window,
            in: .seconds(1)...(.seconds(24 * 3_600)),
            help: "The time over which dead letters are counted."
        )
        self.budget.letters = reader.int(
            "dead_letters",
            default: self.budget.letters,
            in: 1...1_000_000_000,
            help: "Dead letters in that time beyond which the worker pauses instead of writing more."
        )
        let percent = reader.int(
            "percent",
            default: Int(self.budget.share * 100),
            in: 1...100,
            help: "Dead letters among all settled records beyond which it pauses too."
        )
        self.budget.share = Double(percent) / 100
        self.budget.minimum = reader.int(
            "minimum",
            default: self.budget.minimum,
            in: 1...1_000_000_000,
            help: "Settled records before that share is judged."
        )
    }

    fileprivate mutating func readRate(_ reader: SettingsReader) {
        let rate = reader.optionalInt(
            "per_second",
            in: 1...1_000_000,
            help: "Calls a second of the whole fleet; each worker has its share of the partitions of it."
        )
        let burst = reader.optionalInt(
            "burst",
            in: 1...1_000_000,
            help: "Calls that the fleet may make at once after a quiet time; a second's worth by default."
        )
        self.rate = rate.map { RateLimit.Settings(rate: Double($0), burst: burst.map { Double($0) }) }
    }

    fileprivate mutating func readHold(_ reader: SettingsReader) {
        self.lanes.suspectRejections = reader.int(
            "suspect_rejections",
            default: self.lanes.suspectRejections,
            in: 1...1_000,
            help: "Rejections in a row that suggest a configuration fault before the lane is held."
        )
        self.lanes.firstPause = reader.duration(
            "first_pause",
            default: self.lanes.firstPause,
            in: .milliseconds(10) ... .seconds(3_600),
            help: "How long a held lane waits before it sends a probe."
        )
        self.lanes.longestPause = reader.duration(
            "longest_pause",
            default: self.lanes.longestPause,
            in: .milliseconds(10) ... .seconds(24 * 3_600),
            help: "Bound of that pause, which doubles with each failed probe."
        )
    }
}

extension HTTPClientSettings {
    fileprivate init(_ reader: SettingsReader, concurrency: Int, _ identity: WorkerIdentity) {
        self.init(
            connectTimeout: reader.duration(
                "connect_timeout",
                default: .seconds(5),
                in: .milliseconds(10) ... .seconds(300),
                help: "Until a connection stands, TLS included."
            ),
            requestTimeout: reader.duration(
                "timeout",
                default: .seconds(10),
                in: .milliseconds(10) ... .seconds(600),
                help: "From the start of a call to the last byte of its answer."
            ),
            connectionLimit: concurrency,
            responseBytesLimit: reader.bytes(
                "response_limit",
                default: identity.answerBytesLimit,
                in: 1_024...(1 << 30),
                help: "The longest answer that is read."
            ),
            keptHeaders: ["retry-after", "date"] + identity.keptHeaders,
            httpVersion: identity.httpVersion,
            certificateAuthorityFile: reader.optionalString(
                "ca_file",
                help:
                    "PEM file of the authorities to trust instead of the system's. For tests and private networks."
            ),
            userAgent: "flotilla-\(identity.name)/\(WorkerIdentity.version)"
        )
    }
}
