import WorkerKit

/// What a storm is like as a whole: drawn once, from its seed.
struct StormPlan {
    var partitions: Int
    /// When the troubles end.
    var calmAfter: Duration
    /// Shares of what is asked of the brokers that goes wrong.
    var produceTrouble: Double
    var commitTrouble: Double
    /// Share of calls that fail for no reason.
    var flakiness: Double
    private var concurrency: Int
    private var delivery: EngineSettings.Delivery
    private var ordering: EngineSettings.Ordering
    private var recordsLimit: Int
    private var hasRetryTopics: Bool
    private var pace: EngineSettings.Pace
    /// Calls a second of the whole fleet, if there is a limit.
    private var rate: Double?
    /// The same for the side endpoint alone.
    private var sideCalls: Double?
    /// Dead letters a minute, if there are few enough to matter.
    private var letters: Int?
    private var bypass: Int?
    /// How long after its birth a record may be called for.
    var deadline: Duration
    /// Bytes in hand, if there are few enough to matter.
    var bytesLimit: Int?
    /// Whether whole windows of offsets are missing here and there.
    var hasGaps: Bool
    /// The upstream's answers arrive this far apart, and several at once.
    var burst: Duration?
    /// What a drain may take, and the commit after it.
    private var drainLimit: Duration
    private var commitLimit: Duration
    /// Few only where nothing but an outage fails: a record that fails by chance among others that do not is taken to
    /// be at fault.
    private var attempts: Int
    /// The longest pause of the circuit breaker: a short one makes many probes in an outage.
    private var breakerPause: Duration
    /// How often the workers are given a turn that they did not ask for.
    var nudges: Int
    /// Whether records can be put aside.
    var hasParkingTopic: Bool

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
    }

    /// Whether records can expire.
    var isHurried: Bool { self.deadline < .seconds(3_600) }

    /// In what time everything has to be settled once nothing goes wrong any more: that is by the deadline of the last
    /// record, and what a retry topic, a drain and an unanswered transaction take. Poison that does not expire is cured
    /// some day; and how long the dead-letter budget holds records back, the deadline does not bound.
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
