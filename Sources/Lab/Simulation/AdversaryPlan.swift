import Records
import ServiceKit
import WorkerKit

/// The properties of a whole run with an adversary, drawn once from its seed.
struct AdversaryPlan {
    var kinds: Set<AdversaryKind>
    var partitions: Int
    var workers: Int
    /// The time in which there are faults.
    var length: Duration
    /// The honest records per second.
    var perSecond: Int
    /// The trouble of the side endpoint; nil if it has none. There is at most one.
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
    /// The limits of the requests that all records share; nil if each has its own.
    var batches: SimulatedBatch.Limits?

    /// The length of the longest outage, in seconds.
    static let longestOutage = 40

    /// The size in bytes of the largest encoded record that the brokers accept.
    static let messageLimit = 100_000

    init(of kinds: Set<AdversaryKind>, using random: inout SplitMix64) {
        // The kinds are taken in the order of their declaration, because the order of a set differs from run
        // to run.
        let possible = (AdversaryKind.ofCalls + AdversaryKind.ofCallsByName).filter { kinds.contains($0) }
        let drawn = AdversaryKind.drawn(from: possible, using: &random)
        let sides = [AdversaryKind.slow, .dead, .crowd].filter { drawn.contains($0) }
        // Late tickets need records that are parked.
        self.side = sides.randomElement(using: &random) ?? (drawn.contains(.lateTickets) ? .crowd : nil)
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
        // Copies in a retry topic wait by the wall clock, and a retry topic does not get more partitions when
        // its input does.
        self.hasRetryTopics =
            self.ordering == .none && drawn.isDisjoint(with: [.clocks, .growth, .madeAnew, .truncated])
            && Bool.random(using: &random)
        // An upstream that breaks down over single elements leaves a worker with as many calls at once as there
        // are requests.
        self.batches =
            Bool.random(using: &random)
            ? SimulatedBatch.Limits(
                elements: .random(in: 2...16, using: &random),
                bytes: .random(in: 200...2_000, using: &random),
                requests: .random(in: 4...16, using: &random)
            ) : nil
    }

    /// The headers of a record of one lane.
    func headers(lane: String) -> [RecordHeader] {
        [RecordHeader("lane", lane)] + (self.batches == nil ? [] : [RecordHeader(SimulatedBatch.header, "")])
    }

    /// Whether records can expire before the faults have ended.
    var isHurried: Bool { self.deadline < .seconds(3_600) }

    /// The time in which the honest publisher sends records that are judged: as long as there are faults, and until
    /// workers have recovered from the last one. Poison that has no healthy record beside it cannot be told from an
    /// outage, and a worker that has just taken over remembers of no record that it is poison.
    var publishing: Duration {
        let outage = Duration.seconds(Self.longestOutage) + self.breakerPause + .seconds(2)
        let takeover = self.takeover + .seconds(10)
        return self.length
            + max(self.kinds.contains(.outages) ? outage : .zero, self.losesMemory ? takeover : .zero)
    }

    /// Whether workers take over from others, and know nothing of their records then.
    private var losesMemory: Bool {
        !self.kinds.isDisjoint(with: [
            .kills, .freezes, .offsets, .growth, .suspects, .deadly, .madeAnew, .lateTickets, .truncated,
        ])
    }

    /// The time in which everything must be settled after the last fault.
    var patience: Duration { self.deadline + .seconds(3 * 3_600) }

    /// The longest time in which a rebalance keeps all workers from settling records.
    var rebalance: Duration { self.drainLimit + self.commitLimit + .seconds(1) }

    /// The time from the death of a worker until the group has replaced it. With transactions this includes
    /// the time until the dead worker's open ones expire.
    var takeover: Duration {
        self.rebalance + (self.delivery == .exactlyOnce ? .seconds(16) : .zero)
    }

    /// Whether the slow endpoint answers some calls at once and lets the others hang, and a repeat of a call to it would do
    /// harm, so that none is cut short. It is not drawn: one more draw would make another storm of every seed.
    var isMoody: Bool { self.perSecond.isMultiple(of: 4) }

    /// The number of records whose calls hang for ten seconds, with the kind `hangs`. They come in the whole time of the
    /// faults or in half of it, and would take all slots or twice as many. There are none where records share requests,
    /// because no call is cut short, and none where workers take over: they would have to find out again which of the many
    /// records that wait are those.
    var hangs: Int {
        guard self.batches == nil, !self.losesMemory else { return 0 }
        return Int(Double(self.concurrency) / 10 * (self.length / .seconds(1)))
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
