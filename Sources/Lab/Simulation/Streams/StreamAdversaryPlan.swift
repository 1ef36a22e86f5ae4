import ServiceKit
import StreamKit

/// The properties of a whole run of stream engines with an adversary, drawn once from its seed.
struct StreamAdversaryPlan {
    /// The ways in which the brokers can fail.
    enum Outage: CaseIterable {
        /// No request succeeds.
        case silence
        /// Records are written, but their reports arrive only when the outage is over. If that would be later
        /// than the message timeout, sending fails, and the record may have been written.
        case deafness
        /// The brokers allow no writing.
        case refusal
        /// No state can be read back, and a worker has just been killed.
        case blindness
    }

    var setup = StreamSetup()
    var kinds: Set<AdversaryKind>
    var workers: Int
    /// The time in which the honest publisher sends records, and in which there are faults.
    var length: Duration
    /// The honest records per second.
    var perSecond: Int
    /// The names per second that an adversary invents.
    var inventedPerSecond: Int
    /// The records that kill the process that handles them.
    var deadlyRecords: Int
    var outage: Outage
    /// The length of the outage.
    var outageLength: Duration
    /// The longest time until a transaction marker is written.
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
        // Half of the limit is more than can be invented between two looks of the engine at its memory. A
        // long run at a high rate invents more names than the whole limit allows.
        self.setup.settings.memoryLimit = CountingTask.itemBytes * 2_000
        self.setup.messageLimit = AdversaryPlan.messageLimit
        self.setup.reportLimit = Self.messageTimeout + .seconds(1)
        self.setup.commitLimit = .seconds(16)
        self.setup.isPunctual = false
    }

    /// The time in which a client gets the report of a record, or gives the record up, as with
    /// `message.timeout.ms`.
    static let messageTimeout = Duration.seconds(15)

    /// The longest time in which a rebalance keeps all workers from settling records, including the time to
    /// read the state back.
    var rebalance: Duration { .seconds(6) }

    /// The time from the death of a worker until the group has replaced it, including the time until its open
    /// transactions expire.
    var takeover: Duration { .seconds(16) + self.rebalance }

    /// The time in which everything must be settled after the last fault. A worker's clock may have been set
    /// back by hours, and its tasks report by that clock.
    var patience: Duration { .seconds(600) + (self.kinds.contains(.clocks) ? .seconds(9 * 3_600) : .zero) }
}
