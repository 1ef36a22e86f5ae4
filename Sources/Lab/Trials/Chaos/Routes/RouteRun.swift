import Foundation
import Harness
import ServiceKit
import UpstreamHTTP
import UpstreamSimulator

/// A chaos run with uploads: load and faults, then the time in which all must be settled, then the count.
final class RouteRun {
    private let schedule: ChaosSchedule
    private let processes: RouteProcesses
    private let harness: Harness
    private let load: RouteLoad
    private let watch: RouteWatch
    private let driver: FaultDriver
    private var lastEnd = ContinuousClock.now

    init(_ schedule: ChaosSchedule, _ processes: RouteProcesses, on harness: Harness) throws {
        self.schedule = schedule
        self.processes = processes
        self.harness = harness
        self.load = try RouteLoad(processes, on: harness)
        self.watch = try RouteWatch(processes.topics, brokers: processes.cluster.brokers)
        self.driver = FaultDriver(
            schedule,
            on: processes.crews.map { FaultDriver.Target(crew: $0) },
            processes.cluster,
            upstream: ("the Marketing API", UpstreamControl(processes.marketing, on: harness)),
            harness: harness
        )
    }

    /// Runs the load and the faults, waits until everything is settled, and stops the workers.
    func run() throws {
        self.harness.attend(self.load)
        self.harness.attend(self.watch)
        self.driver.begin()
        let length = self.processes.options.length
        self.harness.end(by: .now + length + ChaosRun.longestSettling + .seconds(120))
        self.load.begin()
        self.driver.tell(
            self.processes.crews.map { "\($0.size) \($0.worker.name)" }.joined(separator: ", ")
                + ", \(self.load.count) conversions, \(self.processes.options.rate) a second"
        )
        while self.driver.time < length { try self.turn() }
        self.lastEnd = .now
        try self.settle()
        let haveAllLeft = self.driver.dismissAll()
        while !haveAllLeft() { try self.turn() }
        // The transaction of a worker that was killed last hides the records after it until its timeout.
        let until = self.processes.options.transactionTimeout + .seconds(1) + self.schedule.calm
        while self.driver.time < until || !self.watch.isAtEnd { try self.turn() }
    }

    private func turn() throws {
        try self.harness.turn()
        try self.load.turn()
        self.driver.control.turn(nil)
        try self.driver.turn()
        self.harness.screen.show(
            "… \(self.load.acknowledged.count) acknowledged, \(self.watch.evidence.reports.count) settled"
        )
    }

    /// Whether every input is acknowledged, every event is published and every conversion has its outcome.
    private var isSettled: Bool {
        let uploads = self.load.inputs.count { $0 == .upload }
        return self.load.isAcknowledged && self.watch.evidence.reports.count >= self.load.count
            && self.watch.evidence.events.count >= uploads * RouteInput.events.count
    }

    private func settle() throws {
        self.driver.tell("everything is healed and the load ends; \(self.load.inputs.count) inputs were made")
        let limit = ContinuousClock.now + ChaosRun.longestSettling
        var nextWord = ContinuousClock.now + ChaosRun.patience
        while .now < limit, !self.isSettled {
            try self.turn()
            guard .now >= nextWord else { continue }
            nextWord = .now + ChaosRun.patience
            self.driver.tell(
                "acknowledged \(self.load.acknowledged.count) of \(self.load.count), reported "
                    + "\(self.watch.evidence.reports.count), events \(self.watch.evidence.events.count)"
            )
        }
        if self.isSettled {
            self.driver.tally.settling = self.lastEnd.duration(to: .now)
        } else {
            self.driver.object(
                .lag,
                "not everything was settled \(ChaosRun.longestSettling.shown) after the load"
            )
        }
    }

    /// Counts everything, and makes the summary.
    func conclude() throws -> RouteSummary {
        self.harness.end(by: .now + .seconds(180))
        self.driver.conclude()
        var audit = RouteAudit(self.load.inputs, delivery: self.processes.options.delivery)
        let request = HTTPRequest(method: .get, url: "\(self.processes.marketing)/control/conversions")
        let body = try self.harness.fetch(request)
        audit.check(try JSONDecoder().decode([MarketingSimulator.Conversion].self, from: Data(body)))
        audit.check(self.watch.evidence, places: self.load.places)
        audit.object(self.load.objections)
        audit.object(self.driver.findings.map(\.1))
        for (crew, topic) in self.consumers {
            let ends = self.watch.evidence.ends[topic] ?? []
            let lag = try crew.lag(of: topic, behind: ends, on: self.processes.cluster.brokers)
            self.driver.tally.lag += lag
            if lag > 0 {
                audit.object(["the group of \(crew.worker.name) has not committed \(lag) of \(topic)"])
            }
        }
        return RouteSummary(
            self.processes.options,
            audit,
            load: self.load,
            topics: self.watch.evidence,
            tally: self.driver.tally
        )
    }

    private var consumers: [(ChaosCrew, String)] {
        let topics = self.processes.topics
        return [topics.activations, topics.uploads, topics.home].map { (self.processes.intakes, $0) }
            + [(self.processes.reporters, topics.due)]
    }
}
