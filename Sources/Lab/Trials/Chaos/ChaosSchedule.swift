import Harness
import ServiceKit

/// All faults of a chaos run, drawn from one seed before the run starts.
///
/// Three sequences of faults run side by side: faults of the workers, of the upstream and of the broker. Each
/// sequence draws its faults without replacement: every kind has occurred before one is repeated. All faults
/// have ended when `calm` is reached.
///
/// Beside an adversary, a fourth sequence is always the same: GDT does not know an account at first, the topic grows, the
/// group is moved back, and the store's sandbox is down in the middle of the run.
struct ChaosSchedule: Hashable, Sendable {
    /// The longest time for which all workers are absent, if there is more than one worker. It follows from
    /// the lengths of the faults, and a test checks it.
    static let longestBlackout = Duration.milliseconds(2_500)
    /// The longest time for which the only worker is absent, if there is just one.
    static let longestLoneAbsence = Duration.seconds(8)
    /// The time that a returning worker takes at most until it counts as working.
    private static let comingBack = Duration.seconds(1)

    private(set) var faults: [ChaosFault] = []
    /// The time at which all faults have ended.
    let calm: Duration
    private let length: Duration
    private let workers: Int

    /// Draws all faults.
    ///
    /// - Parameters:
    ///   - length: the length of the run, at least 10 seconds.
    ///   - workers: the number of workers, at least 1.
    ///   - hasOwnBroker: whether the broker can be made to fail.
    ///   - hasAdversary: whether there are the faults of an adversary, and a sandbox that can be made to fail.
    init(seed: UInt64, length: Duration, workers: Int, hasOwnBroker: Bool, hasAdversary: Bool = false) {
        self.length = length
        self.workers = workers
        self.calm = length - min(max(length / 10, .seconds(2)), .seconds(15))
        // Each sequence has a random generator of its own. A new kind of fault in one sequence then leaves
        // the other sequences unchanged.
        var seeds = SplitMix64(seed: seed)
        var workerRandom = SplitMix64(seed: seeds.next())
        var upstreamRandom = SplitMix64(seed: seeds.next())
        var brokerRandom = SplitMix64(seed: seeds.next())
        self.addWorkerFaults(using: &workerRandom)
        self.addUpstreamFaults(using: &upstreamRandom)
        if hasOwnBroker { self.addBrokerFaults(using: &brokerRandom) }
        if hasAdversary {
            self.addDeadSandbox()
            self.addHarms()
        }
        self.faults.sort { $0.start < $1.start }
    }

    // MARK: - Workers

    /// The kinds of worker fault. Kills are in the deck twice.
    private enum WorkerCard: CaseIterable {
        case kill, secondKill, killAll, shortPause, longPause, scaleDown, scaleUp
    }

    private mutating func addWorkerFaults(using random: inout SplitMix64) {
        var deck = Deck(WorkerCard.allCases)
        var time = self.drawn(.milliseconds(1_000)...(.milliseconds(2_000)), using: &random)
        var extra = self.workers
        var card = deck.deal(using: &random)
        while time < self.calm {
            var fault = self.workerFault(card, at: time, extra: extra, using: &random)
            fault.length = min(fault.length, self.calm - time)
            guard self.isPossible(fault) else {
                // If there are several workers, one of them must stay. The fault is tried again half a second
                // later, when another worker may be back.
                time += .milliseconds(500)
                continue
            }
            if card == .scaleUp { extra += 1 }
            self.faults.append(fault)
            card = deck.deal(using: &random)
            time += self.drawn(self.gaps, using: &random)
        }
    }

    private func workerFault(
        _ card: WorkerCard,
        at start: Duration,
        extra: Int,
        using random: inout SplitMix64
    ) -> ChaosFault {
        let worker = Int.random(in: 0..<self.workers, using: &random)
        let mayBeFull = Double.random(in: 0..<1, using: &random) < 0.5
        let queueLimit = Self.queueLimits.randomElement(using: &random)
        let (deed, lengths): (ChaosFault.Deed, ClosedRange<Int>) =
            switch card {
            case .kill, .secondKill: (.kill(worker: worker), 200...3_000)
            case .killAll: (.killAll, 200...1_500)
            case .shortPause: (.pause(worker: worker), 300...2_000)
            // The pause is mostly longer than the session timeout (3 s, or 6 s on a real cluster). When the
            // worker continues, its partitions then belong to other workers.
            case .longPause: (.pause(worker: worker), 5_000...8_000)
            case .scaleDown: (.scaleDown(worker: worker), 1_000...5_000)
            case .scaleUp: (.scaleUp(worker: extra), 4_000...10_000)
            }
        let isExtra = card == .scaleUp
        return ChaosFault(
            start: start,
            length: self.drawn(lengths, using: &random),
            deed: deed,
            queueLimit: isExtra || mayBeFull ? queueLimit : nil
        )
    }

    /// The sizes of a small producer queue, in records.
    static let queueLimits = [8, 16, 32]

    /// Whether enough workers are present for this fault.
    private func isPossible(_ fault: ChaosFault) -> Bool {
        if let worker = fault.missingWorker { return !self.isTooMany(without: worker, fault) }
        return fault.deed != .killAll || !self.isAnybodyOut(fault)
    }

    /// Whether this worker is absent already, or, with several workers, no other worker would be left.
    private func isTooMany(without worker: Int, _ fault: ChaosFault) -> Bool {
        let out = self.faults.filter { self.isOut($0, during: fault) }
        if out.contains(where: { $0.missingWorker == worker || $0.deed == .killAll }) { return true }
        return self.workers > 1 && out.count { $0.missingWorker != nil } >= self.workers - 1
    }

    private func isAnybodyOut(_ fault: ChaosFault) -> Bool {
        self.faults.contains {
            self.isOut($0, during: fault) && ($0.missingWorker != nil || $0.deed == .killAll)
        }
    }

    /// Whether an earlier fault overlaps this one, with the time for the return of a worker added at both
    /// ends.
    private func isOut(_ earlier: ChaosFault, during fault: ChaosFault) -> Bool {
        earlier.end + Self.comingBack > fault.start && earlier.start < fault.end + Self.comingBack
    }

    // MARK: - Upstream and broker

    private mutating func addUpstreamFaults(using random: inout SplitMix64) {
        var deck = Deck(UpstreamTrouble.allCases)
        var time = self.drawn(self.gaps, using: &random)
        while time < self.calm {
            let trouble = deck.deal(using: &random)
            let longest = trouble == .isSilent || trouble == .throttles ? 3_000 : 6_000
            let length = min(self.drawn(500...longest, using: &random), self.calm - time)
            self.faults.append(ChaosFault(start: time, length: length, deed: .upstream(trouble)))
            time += length + self.drawn(self.gaps, using: &random)
        }
    }

    private mutating func addBrokerFaults(using random: inout SplitMix64) {
        var deck = Deck(BrokerTrouble.allCases)
        var time = self.drawn(self.gaps, using: &random)
        while time < self.calm {
            let trouble = deck.deal(using: &random)
            let longest =
                switch trouble {
                case .cutsConnections: 500
                case .isDeaf, .movesCoordinators: 2_500
                default: 5_000
                }
            let length = min(self.drawn(300...longest, using: &random), self.calm - time)
            self.faults.append(ChaosFault(start: time, length: length, deed: .broker(trouble)))
            time += length + self.drawn(self.gaps, using: &random)
        }
    }

    /// The time in which the sandbox is down. In a run of a minute it is longer than honest records may wait,
    /// so that a record that waits for the sandbox is late.
    static func deadStretch(of length: Duration) -> Range<Duration> { length * 0.15..<length * 0.8 }

    /// Adds the fault of the sandbox: in the first half it accepts calls and does not answer, in the second
    /// half it refuses connections.
    private mutating func addDeadSandbox() {
        let dead = Self.deadStretch(of: self.length)
        let half = (dead.upperBound - dead.lowerBound) / 2
        for (start, trouble) in [
            (dead.lowerBound, UpstreamTrouble.isSilent), (dead.lowerBound + half, .refuses),
        ] {
            self.faults.append(ChaosFault(start: start, length: half, deed: .sandbox(trouble)))
        }
    }

    // MARK: - Harms

    /// The number of partitions that the topic has in the end.
    static let partitions = ChaosCluster.partitions + 2
    /// The length of the shortest run in which the group is moved back. A shorter run has no time for it, because no
    /// other fault of the workers may occur meanwhile.
    static let shortestWithMove = Duration.seconds(40)
    /// The longest time for which the workers are absent because the group is moved back: the group has to become empty,
    /// and open transactions have to end.
    static let longestMove = Duration.seconds(15)

    /// Adds the faults that the operators of an adversary's run cause.
    private mutating func addHarms() {
        let growth = ChaosFault.Deed.growth(to: Self.partitions)
        self.faults += [
            ChaosFault(start: .zero, length: self.length * 0.6, deed: .lateAccount),
            ChaosFault(start: self.length * 0.25, length: .seconds(1), deed: growth),
        ]
        guard self.length >= Self.shortestWithMove else { return }
        let move = ChaosFault(start: self.length * 0.4, length: Self.longestMove, deed: .moveBack)
        // Another fault of the workers would start one of them, and the group would not become empty.
        self.faults = self.faults.filter { !$0.isOfWorkers || !self.isOut($0, during: move) }
        self.faults.append(move)
    }

    // MARK: - Times

    /// The time between two faults of a sequence. In a short run the faults follow closer.
    private var gaps: ClosedRange<Duration> {
        let shortest = min(max(self.length / 20, .milliseconds(800)), .seconds(4))
        return shortest...(shortest * 2.5)
    }

    private func drawn(_ milliseconds: ClosedRange<Int>, using random: inout SplitMix64) -> Duration {
        // In a short run, no fault may take more than a third of the time, or its shortest length if that is
        // more.
        let limit = max(self.length / 3, .milliseconds(milliseconds.lowerBound))
        return min(.milliseconds(Int.random(in: milliseconds, using: &random)), limit)
    }

    private func drawn(_ range: ClosedRange<Duration>, using random: inout SplitMix64) -> Duration {
        let milliseconds = { (duration: Duration) in Int(duration / .milliseconds(1)) }
        let whole = milliseconds(range.lowerBound)...milliseconds(range.upperBound)
        return .milliseconds(Int.random(in: whole, using: &random))
    }
}

/// A set of items that are drawn without replacement, and shuffled again when all have been drawn.
private struct Deck<Card> {
    private let all: [Card]
    private var left: [Card] = []

    init(_ all: [Card]) { self.all = all }

    mutating func deal(using random: inout SplitMix64) -> Card {
        if self.left.isEmpty { self.left = self.all.shuffled(using: &random) }
        guard let card = self.left.popLast() else { preconditionFailure("a deck without cards") }
        return card
    }
}
