import Operations
import ServiceKit

// How the engine's settings are read, section by section.
extension EngineSettings {
    /// The default of a pod's terminationGracePeriodSeconds.
    private static let kubernetesPatience = Duration.seconds(30)

    /// Reads the section `worker`.
    mutating func readWork(_ reader: SettingsReader) {
        self.delivery = reader.oneOf(
            "delivery",
            default: self.delivery,
            help: "Whether a reader of committed records can see an outcome more than once."
        )
        self.ordering = reader.oneOf(
            "ordering",
            default: self.ordering,
            help: "The records that keep their order: those of a key, of a partition, or none."
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
        self.skip = reader.filters(
            "skip",
            help: "Records to reject without a call: header:NAME, header:NAME=VALUE, field:NAME=VALUE."
        )
        self.resultFormat = reader.oneOf(
            "result_format",
            default: self.resultFormat,
            help: "How outcome records are written."
        )
        self.resultEnvelope = reader.oneOf(
            "result_envelope",
            default: self.resultEnvelope,
            help: "Whether outcome records are CloudEvents, in binary or in structured mode."
        )
        self.resultSchemaID = reader.resultSchemaID(self.resultFormat, in: self.resultEnvelope)
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
            help: "Bytes of the records in hand, of requests on their way and of answers."
        )
        self.drainLimit = reader.duration(
            "drain_limit",
            default: self.drainLimit,
            in: .zero ... .seconds(240),
            help: "How long a stop or a rebalance waits for what is in flight. A stop can take 13 s more."
        )
        let stop = (self.longestStop / .seconds(1)).rounded(.up)
        if self.longestStop > Self.kubernetesPatience {
            reader.reportWarning(
                "drain_limit",
                "a stop can take \(Int(stop)) s, and Kubernetes kills after 30 s by default: set the pod's "
                    + "terminationGracePeriodSeconds to \(Int(stop)) or more"
            )
        }
        self.stallLimit = reader.duration(
            "stall_limit",
            default: self.stallLimit,
            in: .seconds(1) ... .seconds(3_600),
            help: "Records to do and none finished for longer: not ready, and the log says why."
        )
        self.commitInterval = reader.duration(
            "commit_interval",
            default: self.commitInterval,
            in: .milliseconds(50) ... .seconds(60),
            help: "How often finished offsets are committed."
        )
    }

    /// Reads the section `retry`.
    mutating func readRetry(_ reader: SettingsReader) {
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

    /// Reads the section `breaker`.
    mutating func readBreaker(_ reader: SettingsReader) {
        self.breaker.consecutiveFailures = reader.int(
            "consecutive_failures",
            default: self.breaker.consecutiveFailures,
            in: 1...100_000,
            help: "Failures in a row that open the circuit breaker, once a second has passed without an "
                + "answer."
        )
        self.breaker.minimumCalls = reader.int(
            "minimum_calls",
            default: self.breaker.minimumCalls,
            in: 1...1_000_000,
            help: "Calls within ten seconds before four fifths of them failing opens it; "
                + "soon after it closed, up to eight times as many."
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
            help:
                "Bound of that pause, which doubles with each failed probe and is at most a quarter of the time since the last answer."
        )
    }

    /// Reads the section `budget`.
    mutating func readBudget(_ reader: SettingsReader) {
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
            help: "Dead letters of one lane and reason in that time, beyond which those records wait."
        )
        let percent = reader.int(
            "percent",
            default: Int(self.budget.share * 100),
            in: 1...100,
            help: "Their share of all settled records beyond which they wait too."
        )
        self.budget.share = Double(percent) / 100
        self.budget.minimum = reader.int(
            "minimum",
            default: self.budget.minimum,
            in: 1...1_000_000_000,
            help: "Settled records before that share is judged."
        )
    }

    /// Reads the section `rate`.
    mutating func readRate(_ reader: SettingsReader) {
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

    /// Reads the section `hold`.
    mutating func readHold(_ reader: SettingsReader) {
        self.lanes.suspectRejections = reader.int(
            "suspect_rejections",
            default: self.lanes.suspectRejections,
            in: 1...1_000,
            help:
                "Rejections in a row, of as many keys, that suggest a configuration fault before the lane is held."
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
