import Records
import UpstreamHTTP
import WorkerKit

/// Simulates a long outage of one endpoint, with many large records for it. The other endpoint has a steady
/// stream of records meanwhile. In the middle of the outage one worker is killed, and another takes over.
///
/// All large records share one piece of memory, so that the records of a day fit into a process.
package final class OutageDay {
    private typealias Reply = SimulatedUpstream.Reply

    private let plan: OutagePlan
    private let simulation: Simulation
    private let honest: HonestPublisher
    private let time: JudgedTime
    private var report: OutageReport

    /// Prepares a run, which begins with `run()`.
    package init(_ plan: OutagePlan) {
        self.plan = plan
        self.simulation = Simulation(partitions: OutagePlan.partitions) { $0.delivery = plan.delivery }
        self.simulation.makeParkingTopic()
        self.honest = HonestPublisher(self.simulation)
        self.time = JudgedTime(of: self.simulation, self.honest)
        self.report = OutageReport(records: plan.records, bytesLimit: self.simulation.settings.bytesLimit)
    }

    /// Runs from before the outage until everything is settled, or until a promise is broken.
    package func run() throws -> OutageReport {
        let began = ContinuousClock.now
        self.honest.publish(perSecond: self.plan.perSecond, for: self.plan.length + self.plan.margin * 2)
        self.simulation.startWorker()
        self.report.rateBefore = try self.rate(of: self.plan.margin)
        self.simulation.reply = { $0.endpoint == .side ? Self.refused : Reply(200) }
        self.publishBulk()
        self.report.rateDuring = try self.rateOfTheOutage()
        self.simulation.reply = { _ in Reply(200) }
        try self.settle()
        self.report.violations = self.simulation.violations
        self.report.isOrderKept = self.isOrderKept
        self.report.real = ContinuousClock.now - began
        return self.report
    }

    private static var refused: Reply {
        .failure(.connect, mayHaveBeenSent: false, after: .milliseconds(1))
    }

    private func publishBulk() {
        let bulk = RecordHeader("bulk", [UInt8](repeating: 0, count: self.plan.recordBytes))
        let headers = [RecordHeader("side", ""), bulk]
        let gap = self.plan.publishing / self.plan.records
        for index in 0..<self.plan.records {
            self.simulation.after(gap * index) { [self] in
                let key = index % self.plan.keys
                let partition = Int32(key % OutagePlan.partitions)
                self.simulation.cluster.append("side", key: "s\(key)", to: partition, headers: headers)
            }
        }
    }

    // MARK: - Phases

    /// Returns the records per second of the other endpoint that are settled while `pass` lets a time pass.
    private func rate(of length: Duration, _ pass: (Duration) throws -> Void) rethrows -> Double {
        let settled = self.settledHonest
        try pass(length)
        return Double(self.settledHonest - settled) / (length / .seconds(1))
    }

    private func rate(of length: Duration) throws -> Double {
        try self.rate(of: length) { try self.pass($0) }
    }

    private func rateOfTheOutage() throws -> Double {
        try self.rate(of: self.plan.length) { length in
            try self.pass(length / 2)
            let takeover = try self.takeOver()
            try self.pass(length - length / 2 - takeover)
        }
    }

    private var settledHonest: Int { self.honest.judge.published - self.honest.judge.waiting }

    /// Kills the worker and starts another one, which must read the tickets.
    ///
    /// - Returns: the simulated time that it took.
    private func takeOver() throws -> Duration {
        self.report.ticketsTakenOver = self.simulation.cluster.tickets.count
        self.simulation.kill(self.simulation.worker)
        let (began, start) = (ContinuousClock.now, self.simulation.seconds)
        let log = self.simulation.startWorker().log
        let isRead = try self.pass(.seconds(60)) { log.count("parked records taken over") > 0 }
        self.report.takeover = isRead ? ContinuousClock.now - began : nil
        return .seconds(self.simulation.seconds - start)
    }

    /// Lets time pass after the end of the outage until everything is settled.
    private func settle() throws {
        let (began, start) = (ContinuousClock.now, self.simulation.seconds)
        let cluster = self.simulation.cluster
        let isSettled = try self.pass(self.plan.length) { cluster.tickets.isEmpty }
        self.report.settling = isSettled ? .seconds(self.simulation.seconds - start) : nil
        self.report.realSettling = ContinuousClock.now - began
        // The stream goes on for as long as it ran before the outage.
        try self.pass(self.plan.margin)
        let isOver = try self.pass(.seconds(60)) {
            cluster.isEverythingSettled && cluster.isEverythingCommitted
        }
        if !isOver { self.report.settling = nil }
    }

    /// Lets time pass until a condition holds or a promise is broken.
    ///
    /// - Returns: whether the condition holds.
    @discardableResult
    private func pass(_ length: Duration, until isDone: () -> Bool = { false }) throws -> Bool {
        try self.time.pass(length) {
            self.noteBytesInHand()
            return isDone()
        }
    }

    private func noteBytesInHand() {
        for worker in self.simulation.workers {
            self.report.mostBytesInHand = max(self.report.mostBytesInHand, worker.engine.bytesInHand)
        }
    }

    /// Whether readers see the first outcomes of every key in the order of its records.
    private var isOrderKept: Bool {
        var last: [[UInt8]: Int64] = [:]
        var seen: Set<RecordName> = []
        for record in self.simulation.cluster.published {
            guard let key = record.key, let outcome = SimulatedOutcome(record) else { continue }
            let name = outcome.name
            guard seen.insert(name).inserted else { continue }
            guard last[key] ?? -1 < outcome.offset else { return false }
            last[key] = outcome.offset
        }
        return true
    }
}
