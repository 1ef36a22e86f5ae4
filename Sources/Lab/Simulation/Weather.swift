import Kafka
import ServiceKit

/// A storm on one clock and one cluster, whichever kind of engine runs, with its workers and its complaints about
/// broken promises. The random faults of brokers and processes are drawn from one seed and counted.
protocol Weather: AnyObject {
    associatedtype Process: SimulatedProcess

    var timeline: Timeline { get }
    var cluster: SimulatedCluster { get }
    /// The workers that were started and not killed.
    var workers: [Process] { get }
    /// A description of each broken promise that the storm itself has found.
    var complaints: [String] { get set }
    /// A description of each broken promise that the judges of its cluster and upstreams have found.
    var violations: [String] { get }
    /// Whether a judge has found a broken promise.
    var isBroken: Bool { get }

    /// Lets time pass until a condition holds.
    ///
    /// - Returns: whether the condition came to hold in the time given.
    func advance(_ longest: Duration, until isDone: () -> Bool) throws -> Bool

    var random: SplitMix64 { get set }
    /// Whether the faults have ended.
    var isCalm: Bool { get }
    /// The number of faults that were injected.
    var faults: Int { get set }
    /// The time after which there are no more faults.
    var calmAfter: Duration { get }
    /// The share of the records sent that fail.
    var produceTrouble: Double { get }
    /// The share of commits, and of reads of committed positions, that fail.
    var commitTrouble: Double { get }
}

extension Weather {
    var violations: [String] { self.cluster.violations }
    var isBroken: Bool { !self.cluster.violations.isEmpty }

    /// Plays a storm to its end, or until a promise is broken.
    ///
    /// - Returns: a description of each broken promise; empty if there is none.
    func judged(_ play: () throws -> Void) -> [String] {
        defer { self.timeline.end() }
        do {
            try play()
        } catch {
            self.complaints.append("\(error)")
        }
        return self.complaints + self.violations.prefix(5)
    }

    /// Lets time pass until a condition holds or a promise is broken.
    ///
    /// - Returns: whether one of the two happened in the time given.
    @discardableResult
    func pass(_ longest: Duration, until isDone: () -> Bool = { false }) throws -> Bool {
        try self.advance(longest) { self.isBroken || isDone() }
    }

    /// Stops all workers, and complains if one of them does not end.
    func stopEverybody(within longest: Duration) throws {
        for worker in self.workers { worker.stop() }
        let haveEnded = try self.pass(longest) { self.workers.allSatisfy(\.hasEnded) }
        if !haveEnded { self.complaints.append("somebody does not stop") }
    }

    // MARK: drawing

    func chance(_ share: Double) -> Bool { .random(in: 0..<1, using: &self.random) < share }

    func milliseconds(_ range: ClosedRange<Int>) -> Duration {
        .milliseconds(Int.random(in: range, using: &self.random))
    }

    /// Returns whether the next request fails, and counts the fault if it does. No request fails after the
    /// faults have ended.
    func fails(_ share: Double) -> Bool {
        guard !self.isCalm, self.chance(share) else { return false }
        self.faults += 1
        return true
    }

    // MARK: the brokers' answers

    /// Lets the cluster draw the answer to every request at random.
    func setBrokerTroubles() {
        self.cluster.produceFate = { [unowned self] _ in self.produceFate() }
        self.cluster.commitFate = { [unowned self] _ in self.commitFate() }
        self.cluster.transactionFate = { [unowned self] _ in self.transactionFate() }
        self.cluster.committedFate = { [unowned self] in self.fails(self.commitTrouble) ? .timedOut : nil }
        self.cluster.openFate = { [unowned self] in self.fails(self.commitTrouble / 2) ? .timedOut : nil }
    }

    private func produceFate() -> SimulatedCluster.ProduceFate {
        let delay = self.milliseconds(1...40)
        guard self.fails(self.produceTrouble) else { return .acknowledged(after: delay) }
        switch Int.random(in: 0..<5, using: &self.random) {
        case 0: return .refused(.queueFull)
        case 1: return .refused(.timedOut)
        default: return .failed(.timedOut, after: delay, isWritten: self.chance(0.5))
        }
    }

    private func commitFate() -> SimulatedCluster.CommitFate {
        let delay = self.milliseconds(1...300)
        guard self.fails(self.commitTrouble) else { return .acknowledged(after: delay) }
        return self.chance(0.3)
            ? .refused(.timedOut) : .failed(.timedOut, after: delay, isStored: self.chance(0.5))
    }

    private func transactionFate() -> TransactionFate {
        let delay = self.milliseconds(3...300)
        guard self.fails(self.commitTrouble) else { return .committed(after: delay) }
        let patience = self.milliseconds(500...15_000)
        switch Int.random(in: 0..<6, using: &self.random) {
        case 0, 1:
            let error = KafkaError(code: .timedOut, message: "cannot be committed", requiresAbort: true)
            return .refused(error, after: delay)
        case 2: return .unanswered(after: patience, .nothing)
        case 3: return .unanswered(after: patience, .offsets)
        case 4: return .unanswered(after: patience, .everything)
        default: return .unanswered(after: patience, .everythingLate(by: self.milliseconds(1...2_000)))
        }
    }

    // MARK: scheduled faults

    /// Gives all processes some turns that they did not ask for, at random times.
    func planNudges(_ count: Int) {
        let end = self.calmAfter.wholeNanoseconds
        for _ in 0..<count {
            let nanoseconds = Int64.random(in: 0...end, using: &self.random)
            self.timeline.nudge(after: .nanoseconds(nanoseconds))
        }
    }

    /// Schedules a fault of a worker, which is drawn when the fault happens. Nothing happens if no worker
    /// runs then.
    func faultOfSomebody(_ event: @escaping (Process) -> Void) {
        self.fault { [unowned self] in
            let running = self.workers.filter { !$0.hasEnded }
            if let worker = running.randomElement(using: &self.random) { event(worker) }
        }
    }

    /// Schedules a fault at a random time, and counts it when it happens.
    func fault(_ event: @escaping () -> Void) {
        self.schedule { [unowned self] in
            self.faults += 1
            event()
        }
    }

    /// Schedules an event at a random time in the first part of the run.
    ///
    /// - Parameter share: that part, as a share of the time with faults.
    func schedule(within share: Double = 1, _ event: @escaping () -> Void) {
        let end = Double(self.calmAfter.wholeNanoseconds) * share
        self.timeline.after(.nanoseconds(Int64(.random(in: 0...end, using: &self.random))), event)
    }
}
