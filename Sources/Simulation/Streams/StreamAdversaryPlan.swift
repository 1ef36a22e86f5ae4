import StreamKit
import WorkerKit

/// What a storm of streams with an adversary is like as a whole: drawn once, from its seed.
struct StreamAdversaryPlan {
    /// How the brokers are down.
    enum Outage: CaseIterable {
        /// Nothing gets through.
        case silence
        /// What is sent is heard of when it is over, or never.
        case deafness
        /// Nothing may be written.
        case refusal
        /// No state can be read, when somebody has just died.
        case blindness
    }

    var setup = StreamSetup()
    var kinds: Set<AdversaryKind>
    var workers: Int
    /// How long the honest publish, and at what pace.
    var length: Duration
    var perSecond: Int
    /// Names that are invented, each second.
    var inventedPerSecond: Int
    var deadlyRecords: Int
    var outage: Outage
    var outageLength: Duration
    var markerDelay: Duration

    init(of kinds: Set<AdversaryKind>, using random: inout SplitMix64) {
        let possible = AdversaryKind.ofStreams.filter { kinds.contains($0) }
        self.kinds = AdversaryKind.drawn(from: possible, using: &random)
        self.workers = .random(in: 1...2, using: &random)
        self.length = .seconds(Int.random(in: 60...150, using: &random))
        self.perSecond = .random(in: 4...10, using: &random)
        self.inventedPerSecond = .random(in: 15...25, using: &random)
        self.deadlyRecords = .random(in: 1...2, using: &random)
        self.outage = Outage.allCases.randomElement(using: &random) ?? .silence
        self.outageLength = .seconds(Int.random(in: 5...90, using: &random))
        self.markerDelay = .milliseconds(Int.random(in: 5...500, using: &random))
        self.setup.partitions = .random(in: 1...3, using: &random)
        self.setup.pace = .milliseconds(Int.random(in: 100...5_000, using: &random))
        self.setup.settings.commitInterval = .milliseconds(Int.random(in: 20...900, using: &random))
        // Half of it is more than what can be invented while nobody looks, and all of it less than what is in the end.
        self.setup.settings.memoryLimit = CountingTask.itemBytes * 2_000
        self.setup.messageLimit = AdversaryPlan.messageLimit
        self.setup.reportLimit = Self.messageTimeout + .seconds(1)
        self.setup.commitLimit = .seconds(16)
        self.setup.isPunctual = false
    }

    /// How long a client waits for the report of a record, as with `message.timeout.ms`.
    static let messageTimeout = Duration.seconds(15)

    /// What a rebalance may take from everybody, with the state that has to be read back after it.
    var rebalance: Duration { .seconds(6) }

    /// What the group waits for after the death of a worker: until the transactions that it had open expire.
    var takeover: Duration { .seconds(16) + self.rebalance }

    /// In what time everything has to be settled once nobody does any harm any more: a clock may have been set back by
    /// hours, and what is told is told by it.
    var patience: Duration { .seconds(600) + (self.kinds.contains(.clocks) ? .seconds(9 * 3_600) : .zero) }
}
