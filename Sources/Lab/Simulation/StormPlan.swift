import ServiceKit
import WorkerKit

/// The properties of a whole run, drawn once from its seed.
struct StormPlan {
    var partitions: Int
    /// The time after which there are no more faults.
    var calmAfter: Duration
    /// The share of the records sent that fail.
    var produceTrouble: Double
    /// The share of commits, and of reads of committed positions, that fail.
    var commitTrouble: Double
    /// The share of calls that fail although the endpoint is up.
    var flakiness: Double
    private var concurrency: Int
    private var delivery: EngineSettings.Delivery
    private var ordering: EngineSettings.Ordering
    private var recordsLimit: Int
    private var hasRetryTopics: Bool
    private var pace: EngineSettings.Pace
    /// The calls per second of the whole fleet; nil for no limit.
    private var rate: Double?
    /// The calls per second to the side endpoint; nil for no limit.
    private var sideCalls: Double?
    /// The dead letters that the budget admits per minute; nil for the budget's default, which is not
    /// reached.
    private var letters: Int?
    private var bypass: Int?
    /// The time after its publication in which a record may be called for.
    var deadline: Duration
    /// The limit on the bytes in hand; nil for the default, which is not reached.
    var bytesLimit: Int?
    /// Whether the input has gaps of about the size of a commit window.
    var hasGaps: Bool
    /// The time between two moments at which answers of the upstream arrive, several at once; nil if each
    /// arrives on its own.
    var burst: Duration?
    /// The time that a drain may take, before the time of its commit.
    private var drainLimit: Duration
    private var commitLimit: Duration
    /// The attempts that a record has. The number is small only where calls fail in outages alone: a record
    /// that fails by chance while others succeed is blamed for it.
    private var attempts: Int
    /// The longest pause of the circuit breaker. A short one makes many probes in an outage.
    private var breakerPause: Duration
    /// The number of turns that the workers get without having asked for them.
    var nudges: Int
    /// Whether the workers can park records.
    var hasParkingTopic: Bool
    /// The limits of the requests that some of the records share; nil if each record has its own.
    var batches: SimulatedBatch.Limits?

    init(using random: inout SplitMix64) {
        func sometimes(_ range: ClosedRange<Double>) -> Double {
            Bool.random(using: &random) ? .random(in: range, using: &random) : 0
        }
        self.partitions = .random(in: 1...3, using: &random)
        self.calmAfter = .seconds(Int.random(in: 5...120, using: &random))
        self.produceTrouble = sometimes(0...0.4)
        self.commitTrouble = sometimes(0...0.5)
        self.flakiness = sometimes(0...0.08)
        self.concurrency = .random(in: 1...12, using: &random)
        self.delivery = EngineSettings.Delivery.allCases.randomElement(using: &random) ?? .atLeastOnce
        self.ordering = EngineSettings.Ordering.allCases.randomElement(using: &random) ?? .key
        self.recordsLimit = Bool.random(using: &random) ? .random(in: 10...60, using: &random) : 100_000
        self.hasRetryTopics = self.ordering == .none && Bool.random(using: &random)
        self.pace = EngineSettings.Pace.allCases.randomElement(using: &random) ?? .fixed
        self.rate = Bool.random(using: &random) ? .random(in: 2...50, using: &random) : nil
        self.sideCalls = Bool.random(using: &random) ? .random(in: 1...20, using: &random) : nil
        self.letters = Bool.random(using: &random) ? .random(in: 1...5, using: &random) : nil
        self.bypass = Bool.random(using: &random) ? .random(in: 2...8, using: &random) : nil
        self.deadline = .seconds(
            Bool.random(using: &random) ? .random(in: 20...600, using: &random) : 6 * 3_600
        )
        self.bytesLimit = Bool.random(using: &random) ? .random(in: 4_000...40_000, using: &random) : nil
        self.hasGaps = .random(in: 0..<8, using: &random) == 0
        self.burst =
            Bool.random(using: &random) ? .milliseconds(Int.random(in: 20...500, using: &random)) : nil
        self.drainLimit = .milliseconds(Int.random(in: 500...5_000, using: &random))
        self.commitLimit = .milliseconds(Int.random(in: 1_000...5_000, using: &random))
        self.attempts = self.flakiness == 0 ? .random(in: 5...8, using: &random) : 8
        self.breakerPause = .seconds(Bool.random(using: &random) ? .random(in: 1...5, using: &random) : 30)
        self.nudges = Bool.random(using: &random) ? .random(in: 20...100, using: &random) : 0
        self.hasParkingTopic = Bool.random(using: &random)
        self.batches =
            Bool.random(using: &random)
            ? SimulatedBatch.Limits(
                elements: .random(in: 1...8, using: &random),
                bytes: .random(in: 60...1_000, using: &random),
                requests: .random(in: 1...3, using: &random)
            ) : nil
    }

    /// Whether records can expire.
    var isHurried: Bool { self.deadline < .seconds(3_600) }

    /// Returns the time in which everything must be settled after the last fault.
    ///
    /// It is the deadline of the last record, and the time of a retry topic, a drain and a transaction
    /// without an answer. It is longer where that deadline is no bound: poison records that do not expire
    /// succeed only when they are cured, and the dead-letter budget can hold records back for longer than
    /// their deadline.
    func patience(clockWasStepped: Bool) -> Duration {
        guard self.isHurried, !clockWasStepped, self.letters == nil else { return .seconds(3 * 3_600) }
        return self.deadline + .seconds(180)
    }

    var sideRate: RateLimit.Settings? { self.sideCalls.map { RateLimit.Settings(rate: $0, burst: 2) } }

    func adjust(_ settings: inout EngineSettings) {
        settings.concurrency = self.concurrency
        settings.delivery = self.delivery
        settings.ordering = self.ordering
        settings.recordsLimit = self.recordsLimit
        settings.deadline = self.deadline
        if let bytesLimit = self.bytesLimit { settings.bytesLimit = bytesLimit }
        settings.drainLimit = self.drainLimit
        settings.commitLimit = self.commitLimit
        settings.breaker.longestPause = self.breakerPause
        settings.attempts = self.attempts
        settings.pace = self.pace
        settings.rate = self.rate.map { RateLimit.Settings(rate: $0, burst: 5) }
        settings.bypass.threshold = self.bypass
        if let letters = self.letters {
            settings.budget.window = .seconds(60)
            settings.budget.letters = letters
        }
        guard self.hasRetryTopics else { return }
        settings.retryTiers = [
            RetryTier(topic: "work.retry.5s", delay: .seconds(5)),
            RetryTier(topic: "work.retry.1m", delay: .seconds(60)),
        ]
    }
}
