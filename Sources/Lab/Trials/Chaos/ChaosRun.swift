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
    /// The longest time for which the load continues because of records that need others beside them. Without
    /// other records that succeed, a worker cannot distinguish their fault from an outage.
    static let longestCompany = Duration.seconds(60)
    /// The time between two lines about missing outcomes.
    static let patience = Duration.seconds(5)

    let schedule: ChaosSchedule
    let processes: ChaosProcesses
    let harness: Harness
    let activations: ChaosTrack
    /// The receipt workers; nil without an adversary.
    let receipts: ChaosTrack?
    /// The push-arrival workers; nil without an adversary.
    let pushes: ChaosTrack?
    let tracks: [ChaosTrack]
    let driver: FaultDriver
    private let silence: SilenceWatch
    /// The end of the load.
    private var lastEnd = ContinuousClock.now

    init(_ schedule: ChaosSchedule, _ processes: ChaosProcesses, on harness: Harness) throws {
        self.schedule = schedule
        self.processes = processes
        self.harness = harness
        self.silence = SilenceWatch(on: harness)
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
                rate: options.sideRate,
                options: options,
                brokers: processes.brokers
            )
        }
        self.pushes = try processes.pushes.map { crew in
            try ChaosTrack(
                crew,
                of: PushInputs(topic: crew.worker.topic),
                keys: PushInputs.keys,
                results: Flotilla_Pusharrival_V1_PushArrivalResult.self,
                rate: options.sideRate,
                options: options,
                brokers: processes.brokers
            )
        }
        self.tracks = [self.activations, self.receipts, self.pushes].compactMap(\.self)
        self.driver = FaultDriver(
            schedule,
            on: self.tracks.map { FaultDriver.Target(crew: $0.crew, watch: $0.watch) },
            processes.cluster,
            upstream: ("GDT", UpstreamControl(processes.upstream, on: harness)),
            sandbox: processes.sandbox.map { UpstreamControl($0, on: harness) },
            lateAccount: processes.lateAccount,
            harness: harness
        )
    }

    // MARK: - The run

    /// Runs the load and the faults, waits until all inputs are settled, and stops the workers.
    func run() throws {
        for track in self.tracks {
            self.harness.attend(track.load)
            self.harness.attend(track.watch)
        }
        self.driver.begin()
        let length = self.processes.options.length
        let afterwards = Self.longestCompany + Self.longestSettling + FaultDriver.longestLeaving
        let longest = length + afterwards + .seconds(60)
        self.harness.end(by: self.driver.begun + longest)
        for track in self.tracks { track.load.begin() }
        self.driver.tell(
            "\(self.processes.options.workers) workers, \(self.processes.options.rate) inputs a second"
        )
        for (crew, inputs) in [(self.receipts?.crew, "receipts"), (self.pushes?.crew, "push events")] {
            guard let crew else { continue }
            self.driver.tell(
                "\(crew.size) workers for \(inputs), \(self.processes.options.sideRate) of them a second"
            )
        }
        while self.time < length {
            try self.turn()
            for sentence in self.silence.turn(self.tracks.flatMap(\.crew.slots)) {
                self.driver.object(.silent, sentence)
            }
        }
        while self.time < length + Self.longestCompany, self.activations.needsCompany { try self.turn() }
        for track in self.tracks { track.load.end() }
        self.lastEnd = .now
        try self.settle()
        try self.dismissWorkers()
    }

    private var time: Duration { self.driver.time }

    /// One turn of the event loop: waits for events and handles all that is due.
    func turn() throws {
        try self.harness.turn()
        for track in self.tracks { try track.load.sendWhatIsDue() }
        self.driver.control.turn { page in
            for entry in page.entries { self.activations.load.audit.noted(entry) }
            self.driver.tally.journalLost = max(self.driver.tally.journalLost, page.lost)
        }
        self.driver.sandboxControl?.turn(nil)
        try self.driver.turn()
        if let partitions = self.driver.takeGrowth() { self.activations.load.grew(to: partitions) }
        for move in self.driver.takeMoves() { self.activations.load.audit.moved(move) }
        for (what, length) in self.tracks.flatMap({ $0.watch.takeovers.takeEnded() }) {
            self.driver.tell("what \(what) left behind is worked again after \(length.shown)")
        }
        let open = self.tracks.reduce(0) { $0 + $1.open }
        self.harness.screen.show("… \(self.sent) sent, \(open) under way")
    }

    private var sent: Int { self.tracks.reduce(0) { $0 + $1.load.sent } }

    // MARK: - Afterwards

    /// Waits until every input has its outcome, at most `longestSettling`.
    func settle() throws {
        self.driver.tell("everything is healed and the load ends; \(self.sent) inputs were sent")
        let limit = ContinuousClock.now + Self.longestSettling
        var nextWord = ContinuousClock.now + Self.patience
        while .now < limit, !self.isSettled {
            try self.turn()
            guard .now >= nextWord else { continue }
            nextWord = .now + Self.patience
            for track in self.tracks where !track.isSettled {
                self.driver.tell("still missing in \(track.crew.worker.resultTopic): \(track.missing)")
            }
        }
        self.driver.tally.settling = self.isSettled ? self.lastEnd.duration(to: .now) : nil
        if !self.isSettled {
            let open = self.sent - self.tracks.reduce(0) { $0 + $1.watch.settled }
            self.driver.object(
                .lag,
                "\(open) inputs had no outcome \(Self.longestSettling.shown) after the load's end"
            )
        }
    }

    var isSettled: Bool { self.tracks.allSatisfy(\.isSettled) && self.driver.control.isUpToDate }

    /// Stops all workers, and waits until transactions of killed workers have timed out.
    func dismissWorkers() throws {
        let haveAllLeft = self.driver.dismissAll()
        while !haveAllLeft() { try self.turn() }
        // The transaction of a worker that was killed last blocks `read_committed` readers until its timeout,
        // and hides the records after it.
        let until =
            self.driver.begun + self.schedule.calm + self.processes.options.transactionTimeout + .seconds(1)
        while .now < until { try self.turn() }
    }

    /// Reads all records that the workers have written, and makes the summary.
    func conclude() throws -> ChaosSummary {
        self.harness.end(by: .now + .seconds(180))
        var (audit, lag) = try self.activations.conclude(on: self.harness)
        let receipts = try self.receipts?.conclude(on: self.harness)
        let pushes = try self.pushes?.conclude(on: self.harness)
        audit.journalLost(self.driver.tally.journalLost)
        for (matter, sentence) in self.driver.findings { audit.object(matter, sentence) }
        self.driver.tally.lag = lag + (receipts?.lag ?? 0) + (pushes?.lag ?? 0)
        self.driver.conclude()
        return ChaosSummary(
            self.processes.options,
            audit,
            receipts: receipts?.audit,
            pushes: pushes?.audit,
            tally: self.driver.tally,
            takeovers: self.activations.watch.takeovers
        )
    }
}
