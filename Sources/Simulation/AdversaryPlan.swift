import WorkerKit

/// What a storm with an adversary is like as a whole: drawn once, from its seed.
struct AdversaryPlan {
    var kinds: Set<AdversaryKind>
    var partitions: Int
    var workers: Int
    /// How long the honest publish, and at what pace.
    var length: Duration
    var perSecond: Int
    /// What is wrong with the side endpoint, if something is.
    var side: AdversaryKind?
    var delivery: EngineSettings.Delivery
    var deadline: Duration
    var drainLimit: Duration
    var commitLimit: Duration
    var breakerPause: Duration
    private var ordering: EngineSettings.Ordering
    private var concurrency: Int
    private var recordsLimit: Int
    private var bytesLimit: Int
    private var letters: Int
    private var attempts: Int
    private var pace: EngineSettings.Pace
    private var hasRetryTopics: Bool

    /// Bytes of the largest record that the brokers take.
    static let messageLimit = 100_000

    init(of kinds: Set<AdversaryKind>, using random: inout SplitMix64) {
        // In the order of their declaration: that of a set differs from run to run.
        let possible = AdversaryKind.ofCalls.filter { kinds.contains($0) }
        let drawn = AdversaryKind.drawn(from: possible, using: &random)
        let sides = [AdversaryKind.slow, .dead, .crowd].filter { drawn.contains($0) }
        self.side = sides.randomElement(using: &random)
        self.kinds = drawn.subtracting(sides).union(self.side.map { [$0] } ?? [])
        self.partitions = .random(in: 1...3, using: &random)
        self.workers = .random(in: 1...2, using: &random)
        self.length = .seconds(Int.random(in: 60...150, using: &random))
        self.perSecond = .random(in: 5...20, using: &random)
        self.delivery = EngineSettings.Delivery.allCases.randomElement(using: &random) ?? .atLeastOnce
        self.ordering = Bool.random(using: &random) ? .key : .none
        self.concurrency = .random(in: 8...32, using: &random)
        self.recordsLimit = .random(in: 300...1_000, using: &random)
        self.bytesLimit = .random(in: 2...6, using: &random) << 20
        self.deadline = .seconds(
            Bool.random(using: &random) ? .random(in: 360...900, using: &random) : 3_600
        )
        self.letters = .random(in: 10...40, using: &random)
        self.attempts = .random(in: 6...10, using: &random)
        self.drainLimit = .milliseconds(Int.random(in: 500...5_000, using: &random))
        self.commitLimit = .milliseconds(Int.random(in: 1_000...5_000, using: &random))
        self.breakerPause = .seconds(Int.random(in: 5...30, using: &random))
        self.pace = EngineSettings.Pace.allCases.randomElement(using: &random) ?? .fixed
        // Copies wait by the wall clock, and a retry topic does not grow with its input.
        self.hasRetryTopics =
            self.ordering == .none && drawn.isDisjoint(with: [.clocks, .growth])
            && Bool.random(using: &random)
    }

    /// Whether records can expire before their troubles are over.
    var isHurried: Bool { self.deadline < .seconds(3_600) }

    /// In what time everything has to be settled once nobody does any harm any more.
    var patience: Duration { self.deadline + .seconds(3 * 3_600) }

    /// What a rebalance may take from everybody.
    var rebalance: Duration { self.drainLimit + self.commitLimit + .seconds(1) }

    /// What the group waits for after the death of a worker: with transactions, until those that it had open expire.
    var takeover: Duration {
        self.rebalance + (self.delivery == .exactlyOnce ? .seconds(16) : .zero)
    }

    var sideRate: RateLimit.Settings? { self.side == .crowd ? RateLimit.Settings(rate: 4, burst: 2) : nil }

    func adjust(_ settings: inout EngineSettings) {
        settings.delivery = self.delivery
        settings.ordering = self.ordering
        settings.concurrency = self.concurrency
        settings.recordsLimit = self.recordsLimit
        settings.bytesLimit = self.bytesLimit
        settings.messageBytesLimit = Self.messageLimit
        settings.deadline = self.deadline
        settings.drainLimit = self.drainLimit
        settings.commitLimit = self.commitLimit
        settings.breaker.longestPause = self.breakerPause
        settings.attempts = self.attempts
        settings.pace = self.pace
        settings.leastConcurrency = 4
        settings.budget.window = .seconds(60)
        settings.budget.letters = self.letters
        guard self.hasRetryTopics else { return }
        settings.retryTiers = [
            RetryTier(topic: "work.retry.5s", delay: .seconds(5)),
            RetryTier(topic: "work.retry.1m", delay: .seconds(60)),
        ]
    }
}
