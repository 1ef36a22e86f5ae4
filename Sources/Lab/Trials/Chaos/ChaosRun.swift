import Fleet
import Foundation
import Harness
import ServiceKit
import UpstreamHTTP
import UpstreamSimulator
import WireMessages

/// A chaos run: first the time with load and faults, then the time in which all records must be settled.
final class ChaosRun {
    /// The longest time after the end of the load until every input must have its outcome.
    static let longestSettling = Duration.seconds(120)
    /// The longest time for which the load continues because of poison that is not dead-lettered yet. Without
    /// other records that succeed, a worker cannot distinguish poison from an outage.
    static let longestCompany = Duration.seconds(60)
    /// The time between two lines about missing outcomes.
    static let patience = Duration.seconds(5)
    /// The longest time from SIGTERM to the end of a worker.
    static let longestLeaving = Duration.seconds(30)
    /// The longest wait for the metrics of a worker before it is killed.
    static let lastQuestion = Duration.milliseconds(500)

    /// The number of workers that exit by themselves after which the run is stopped, because it would show
    /// nothing new.
    static let deathsLimit = 10

    let schedule: ChaosSchedule
    let processes: ChaosProcesses
    let harness: Harness
    let activations: ChaosTrack
    /// The receipt workers; nil without an adversary.
    let receipts: ChaosTrack?
    /// The client for the control endpoints of the GDT simulator.
    let control: UpstreamControl
    /// The client for the control endpoints of the store's sandbox; nil without receipts.
    let sandboxControl: UpstreamControl?
    /// The start of the load.
    var begun = ContinuousClock.now
    /// The faults that have not begun yet, in order.
    var toBegin: ArraySlice<ChaosFault>
    /// The faults that have begun and not ended.
    var toEnd: [ChaosFault] = []
    var kills: [PlannedKill] = []
    /// The workers that are started again as soon as their last process has ended.
    var restarts: [(crew: ChaosCrew, worker: Int, fault: ChaosFault)] = []
    var tally = ChaosTally()
    /// Objections that are not about one input.
    var findings: [(ChaosFindings.Matter, String)] = []
    /// The end of the load.
    var lastEnd = ContinuousClock.now

    /// A worker that is killed as soon as its metrics have been read.
    struct PlannedKill {
        var slot: WorkerSlot
        var track: ChaosTrack
        /// The id of the HTTP request for the metrics; nil if the worker's port is unknown.
        var question: UInt64?
        /// The time at which the worker is killed even without its metrics.
        var latest: ContinuousClock.Instant
    }

    init(_ schedule: ChaosSchedule, _ processes: ChaosProcesses, on harness: Harness) throws {
        self.schedule = schedule
        self.processes = processes
        self.harness = harness
        self.toBegin = schedule.faults[...]
        let options = processes.options
        let keys = options.hasAdversary ? ChaosAdversary.keys : ActivationInputs.keys
        let topic = processes.activations.worker.topic
        self.activations = try ChaosTrack(
            processes.activations,
            of: ActivationInputs(topic: topic, options),
            keys: keys,
            results: Flotilla_Activation_V1_ActivationResult.self,
            rate: options.rate,
            options: options,
            brokers: processes.brokers
        )
        self.receipts = try processes.receipts.map { crew in
            let dead = ChaosSchedule.deadStretch(of: options.length)
            return try ChaosTrack(
                crew,
                of: ReceiptInputs(topic: crew.worker.topic, dead: dead),
                keys: ReceiptInputs.keys,
                results: Flotilla_Receipt_V1_ReceiptResult.self,
                rate: options.receiptRate,
                options: options,
                brokers: processes.brokers
            )
        }
        self.control = UpstreamControl(processes.upstream, on: harness)
        self.sandboxControl = processes.sandbox.map { UpstreamControl($0, on: harness) }
    }

    var tracks: [ChaosTrack] { [self.activations] + (self.receipts.map { [$0] } ?? []) }

    // MARK: - The run

    /// Runs the load and the faults, waits until all inputs are settled, and stops the workers.
    func run() throws {
        for track in self.tracks {
            self.harness.attend(track.load)
            self.harness.attend(track.watch)
        }
        self.begun = .now
        let length = self.processes.options.length
        let afterwards = Self.longestCompany + Self.longestSettling + Self.longestLeaving
        let longest = length + afterwards + .seconds(60)
        self.harness.end(by: self.begun + longest)
        for track in self.tracks { track.load.begin() }
        self.tell("\(self.processes.options.workers) workers, \(self.processes.options.rate) inputs a second")
        if let crew = self.receipts?.crew {
            self.tell("\(crew.size) receipt workers, \(self.processes.options.receiptRate) receipts a second")
        }
        while self.time < length { try self.turn() }
        while self.time < length + Self.longestCompany, self.activations.hasPoison { try self.turn() }
        for track in self.tracks { track.load.end() }
        self.lastEnd = .now
        try self.settle()
        try self.dismissWorkers()
    }

    /// The time since the load began.
    var time: Duration { self.begun.duration(to: .now) }

    /// Prints a line with the time since the load began.
    func tell(_ text: String) {
        let seconds = String(format: "%7.1f s", self.time / .seconds(1))
        self.harness.screen.line("\(seconds)  \(text)")
    }

    /// One turn of the event loop: waits for events and handles all that is due.
    func turn() throws {
        try self.harness.turn()
        for track in self.tracks { try track.load.sendWhatIsDue() }
        self.control.turn { page in
            for entry in page.entries { self.activations.load.audit.noted(entry) }
            self.tally.journalLost = max(self.tally.journalLost, page.lost)
        }
        self.sandboxControl?.turn(nil)
        try self.keepSchedule()
        self.killWhoIsDue()
        try self.takeEnds()
        for (what, length) in self.tracks.flatMap({ $0.watch.takeovers.takeEnded() }) {
            self.tell("what \(what) left behind is worked again after \(length.shown)")
        }
        let open = self.tracks.reduce(0) { $0 + $1.open }
        self.harness.screen.show("… \(self.sent) sent, \(open) under way")
    }

    private var sent: Int { self.tracks.reduce(0) { $0 + $1.load.sent } }

    /// Starts and ends the faults that are due.
    func keepSchedule() throws {
        while let fault = self.toBegin.first, fault.start <= self.time {
            self.toBegin.removeFirst()
            self.toEnd.append(fault)
            try self.begin(fault)
        }
        for fault in self.toEnd where fault.end <= self.time { try self.end(fault) }
        self.toEnd.removeAll { $0.end <= self.time }
    }

    // MARK: - Afterwards

    /// Waits until every input has its outcome, at most `longestSettling`.
    func settle() throws {
        self.tell("everything is healed and the load ends; \(self.sent) inputs were sent")
        let limit = ContinuousClock.now + Self.longestSettling
        var nextWord = ContinuousClock.now + Self.patience
        while .now < limit, !self.isSettled {
            try self.turn()
            guard .now >= nextWord else { continue }
            nextWord = .now + Self.patience
            for track in self.tracks where !track.isSettled {
                self.tell("still missing in \(track.crew.worker.resultTopic): \(track.missing)")
            }
        }
        self.tally.settling = self.isSettled ? self.lastEnd.duration(to: .now) : nil
        if !self.isSettled {
            let open = self.sent - self.tracks.reduce(0) { $0 + $1.watch.settled }
            self.object(
                .lag,
                "\(open) inputs had no outcome \(Self.longestSettling.shown) after the load's end"
            )
        }
    }

    var isSettled: Bool { self.tracks.allSatisfy(\.isSettled) && self.control.isUpToDate }

    /// Stops all workers, and waits until transactions of killed workers have timed out.
    func dismissWorkers() throws {
        self.tell("SIGTERM to every worker")
        self.restarts = []
        let slots = self.processes.crews.flatMap(\.slots)
        for slot in slots { slot.dismiss() }
        while slots.contains(where: { $0.state != .absent }) { try self.turn() }
        // The transaction of a worker that was killed last blocks `read_committed` readers until its timeout,
        // and hides the records after it.
        let until = self.begun + self.schedule.calm + self.processes.options.transactionTimeout + .seconds(1)
        while .now < until { try self.turn() }
    }

    /// Reads all records that the workers have written, and makes the summary.
    func conclude() throws -> ChaosSummary {
        self.harness.end(by: .now + .seconds(180))
        var (audit, lag) = try self.activations.conclude(on: self.harness)
        let receipts = try self.receipts?.conclude(on: self.harness)
        audit.journalLost(self.tally.journalLost)
        for (matter, sentence) in self.findings { audit.object(matter, sentence) }
        self.tally.lag = lag + (receipts?.lag ?? 0)
        let slots = self.processes.crews.flatMap(\.slots)
        self.tally.lives = slots.reduce(0) { $0 + $1.lives }
        self.tally.kills = self.tracks.reduce(0) { $0 + $1.watch.takeovers.kills }
        self.tally.smallQueues = self.processes.crews.reduce(0) { $0 + $1.smallQueues }
        self.tally.brokerCounts = self.processes.brokerCounts
        return ChaosSummary(
            self.processes.options,
            audit,
            receipts: receipts?.audit,
            tally: self.tally,
            takeovers: self.activations.watch.takeovers
        )
    }
}
