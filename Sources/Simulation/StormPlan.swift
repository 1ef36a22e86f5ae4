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
    /// Dead letters a minute, if there are few enough to matter.
    private var letters: Int?
    private var bypass: Int?

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
        self.letters = Bool.random(using: &random) ? .random(in: 1...5, using: &random) : nil
        self.bypass = Bool.random(using: &random) ? .random(in: 2...8, using: &random) : nil
    }

    func adjust(_ settings: inout EngineSettings) {
        settings.concurrency = self.concurrency
        settings.delivery = self.delivery
        settings.ordering = self.ordering
        settings.recordsLimit = self.recordsLimit
        settings.deadline = .seconds(6 * 3_600)
        settings.drainLimit = .seconds(3)
        settings.attempts = 8
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
