import Foundation
import Harness
import UpstreamHTTP
import UpstreamSimulator

/// Carries out the faults of a schedule on workers, upstreams and broker, and starts workers again.
final class FaultDriver {
    /// The longest time from SIGTERM to the end of a worker.
    static let longestLeaving = Duration.seconds(30)
    /// The longest wait for the metrics of a worker before it is killed.
    static let lastQuestion = Duration.milliseconds(500)
    /// The number of workers that exit by themselves after which the run is stopped, because it would show
    /// nothing new.
    static let deathsLimit = 10

    /// Workers of one kind that the faults strike.
    struct Target {
        var crew: ChaosCrew
        /// The watch that measures when partitions are processed again after a kill; nil if nobody does.
        var watch: ResultWatch?
    }

    /// A worker that is killed as soon as its metrics have been read.
    struct PlannedKill {
        var slot: WorkerSlot
        var target: Target
        /// The id of the HTTP request for the metrics; nil if the worker's port is unknown.
        var question: UInt64?
        /// The time at which the worker is killed even without its metrics.
        var latest: ContinuousClock.Instant
    }

    let harness: Harness
    let cluster: ChaosCluster
    /// The workers. An additional worker joins those of the first target.
    let targets: [Target]
    /// The name of the upstream in the output.
    let upstreamName: String
    /// The client for the control endpoints of the upstream.
    let control: UpstreamControl
    /// The client for the control endpoints of the store's sandbox; nil without receipts.
    let sandboxControl: UpstreamControl?
    /// The start of the load.
    private(set) var begun = ContinuousClock.now
    /// The faults that have not begun yet, in order.
    private var toBegin: ArraySlice<ChaosFault>
    /// The faults that have begun and not ended.
    private var toEnd: [ChaosFault] = []
    var kills: [PlannedKill] = []
    /// The workers that are started again as soon as their last process has ended.
    var restarts: [(crew: ChaosCrew, worker: Int, fault: ChaosFault)] = []
    /// The account that GDT gets to know at the end of the fault `lateAccount`.
    let lateAccount: GDTKeys?
    /// The growth of the topics; nil before it begins and after it is done.
    var growth: TopicGrowth?
    /// The number of partitions that the topics have got; nil before, and once it was taken.
    private var grown: Int?
    /// The move of the group that is under way, with its fault; nil if there is none.
    var move: (move: OffsetMove, fault: ChaosFault)?
    /// The moves of the group that were not taken yet.
    private var moved: [GroupMove] = []
    var tally = ChaosTally()
    /// Objections that are not about one input.
    private(set) var findings: [(ChaosFindings.Matter, String)] = []

    init(
        _ schedule: ChaosSchedule,
        on targets: [Target],
        _ cluster: ChaosCluster,
        upstream: (name: String, control: UpstreamControl),
        sandbox: UpstreamControl? = nil,
        lateAccount: GDTKeys? = nil,
        harness: Harness
    ) {
        self.toBegin = schedule.faults[...]
        self.targets = targets
        self.cluster = cluster
        self.upstreamName = upstream.name
        self.control = upstream.control
        self.sandboxControl = sandbox
        self.lateAccount = lateAccount
        self.harness = harness
    }

    private var slots: [WorkerSlot] { self.targets.flatMap(\.crew.slots) }

    /// Starts the clock of the schedule.
    func begin() { self.begun = .now }

    /// The time since the load began.
    var time: Duration { self.begun.duration(to: .now) }

    /// Prints a line with the time since the load began.
    func tell(_ text: String) {
        let seconds = String(format: "%7.1f s", self.time / .seconds(1))
        self.harness.screen.line("\(seconds)  \(text)")
    }

    func object(_ matter: ChaosFindings.Matter, _ sentence: String) {
        self.findings.append((matter, sentence))
    }

    /// Begins and ends the faults that are due, and handles workers that have exited.
    func turn() throws {
        while let fault = self.toBegin.first, fault.start <= self.time {
            self.toBegin.removeFirst()
            self.toEnd.append(fault)
            try self.begin(fault)
        }
        for fault in self.toEnd where fault.end <= self.time { try self.end(fault) }
        self.toEnd.removeAll { $0.end <= self.time }
        self.killWhoIsDue()
        try self.takeEnds()
        if let count = self.growWhenPossible() { self.grown = count }
        if let move = self.moveWhenPossible() { self.moved.append(move) }
    }

    /// Returns the number of partitions that the topics have got, once.
    func takeGrowth() -> Int? {
        defer { self.grown = nil }
        return self.grown
    }

    /// Returns each move of the group once.
    func takeMoves() -> [GroupMove] {
        defer { self.moved = [] }
        return self.moved
    }

    /// Sends SIGTERM to all workers.
    ///
    /// - Returns: a closure that says whether all have ended.
    func dismissAll() -> () -> Bool {
        if self.growth != nil { self.object(.harmNotDone, "the topics did not get more partitions") }
        self.tell("SIGTERM to every worker")
        self.restarts = []
        for slot in self.slots { slot.dismiss() }
        return { self.slots.allSatisfy { $0.state == .absent } }
    }

    /// Adds up the counts of the workers' processes.
    func conclude() {
        self.tally.lives = self.slots.reduce(0) { $0 + $1.lives }
        self.tally.smallQueues = self.targets.reduce(0) { $0 + $1.crew.smallQueues }
        self.tally.brokerCounts = self.cluster.brokerCounts
    }
}
