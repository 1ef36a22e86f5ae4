import Harness
import Kafka
import Operations
import Records
import ServiceKit
import Terminal

/// Collects the data for the checks of all workers, and prints their results.
struct Inspection {
    /// The number of objections that are printed.
    private static let linesLimit = 30

    private let workers: [DemoWorker]
    private let harness: Harness
    /// One check per worker, in the order of the workers.
    var audits: [Audit]
    /// The errors that ended the demo early.
    var misfortunes: [String] = []

    init(_ workers: [DemoWorker], on harness: Harness) {
        self.workers = workers
        self.harness = harness
        self.audits = workers.map { demoWorker in
            var audit = Audit(
                demoWorker.demo.worker,
                calling: demoWorker.demo.upstream,
                demoWorker.traffic.register
            )
            audit.counters = demoWorker.demo.counters
            audit.subject = demoWorker.demo.subject
            return audit
        }
    }

    /// Reads the counters of upstreams and workers.
    mutating func takeNumbers() throws {
        for (index, demoWorker) in self.workers.enumerated() {
            let register = demoWorker.traffic.register
            var answers = UpstreamAnswers()
            let counters = demoWorker.demo.upstream == nil ? [] : [UpstreamAnswers.stats]
            let questions = counters + demoWorker.demo.questions
            for path in questions {
                answers.bodies[path] = try self.harness.fetch(demoWorker.upstreamRequest(path))
            }
            // An outcome can be read before the worker has received the broker's acknowledgement and counts
            // it, so the counters are read again for up to 5 s.
            let topic = demoWorker.demo.worker.topic
            let count = register.entries.count { $0.sample.record.topic == topic }
            var page = MetricsPage(try self.harness.fetch(demoWorker.metricsRequest))
            let limit = ContinuousClock.now + .seconds(5)
            while demoWorker.demo.counters.total(on: page) < count, .now < limit {
                page = MetricsPage(try self.harness.fetch(demoWorker.metricsRequest))
            }
            self.audits[index].register = register
            self.audits[index].answers = answers
            self.audits[index].metrics = page
            self.audits[index].ownClaims = demoWorker.demo.claims(register, answers)
            self.audits[index].remarks = demoWorker.demo.remarks(register, answers)
        }
    }

    /// Allows results of records that the demo did not publish, because the user has seen the addresses and
    /// may have published records.
    mutating func expectOthers() {
        for index in self.audits.indices { self.audits[index].isAlone = false }
    }

    /// Stores how the workers exited.
    mutating func note(_ exits: [DemoWorker.Exit?]) {
        for (index, exit) in exits.enumerated() { self.audits[index].exit = exit }
    }

    /// Reads all topics once more from the beginning to their ends, after the workers have exited.
    mutating func readAgain() throws {
        self.harness.end(by: .now + .seconds(30))
        for (index, demoWorker) in self.workers.enumerated() {
            let reader = try demoWorker.traffic.readerFromTheBeginning()
            self.audits[index].register = demoWorker.traffic.register
            var register = demoWorker.traffic.register.blank()
            while !reader.isAtEnd {
                reader.read(
                    atMost: 10_000,
                    { if !demoWorker.demo.isStatement($0) { register.arrived($0) } },
                    { _ in }
                )
                if !reader.isAtEnd { try self.harness.turn() }
            }
            self.audits[index].second = register
        }
    }

    /// Prints every condition and whether it holds.
    ///
    /// - Returns: whether all conditions hold.
    func conclude(on output: DemoOutput) -> Bool {
        let screen = output.screen
        var missing = self.misfortunes
        screen.line()
        screen.line("Checked", .bold)
        for (audit, demoWorker) in zip(self.audits, self.workers) {
            var audit = audit
            // If the demo ended early, the results read so far are all there are.
            if !self.misfortunes.isEmpty { audit.register = demoWorker.traffic.register }
            let head = output.head(audit.worker.topic)
            for claim in audit.claims {
                let isTrue = claim.objections.isEmpty
                let mark = isTrue ? screen.paint("✓", .green) : screen.paint("✗", .red)
                screen.line("\(head)\(mark) \(claim.text)")
                missing += claim.objections.map { "\(head)\($0)" }
            }
        }
        screen.line()
        guard missing.isEmpty else {
            screen.line("Not as expected:", .red)
            for line in missing.prefix(Self.linesLimit) { screen.line("  \(line)") }
            if missing.count > Self.linesLimit {
                screen.line("  … and \(missing.count - Self.linesLimit) more")
            }
            return false
        }
        let records = self.audits.reduce(0) { $0 + $1.register.entries.count }
        screen.line("Every record of every worker is accounted for: \(records) of \(records).", .green)
        return true
    }
}
