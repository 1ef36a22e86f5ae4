import Harness
import Terminal
import UpstreamHTTP

/// A step of the demo while it runs: publishes its records, and shows each as soon as it is settled.
final class RunningStep {
    private let step: DemoStep
    private let demoWorker: DemoWorker
    private let harness: Harness
    private let output: DemoOutput
    private let page: DemoOutput.Page
    /// The id of the request that sets the upstream's faults; nil once it has been answered.
    private var faultsAnswer: UInt64?
    private let outage: Outage?
    private var prelude: RunningPrelude?
    /// The requests of samples that the gateway has not answered yet.
    private var posts: [UInt64] = []
    /// The range of the step's records in the register; nil before they are published.
    private var all: Range<Int>?
    private var shown: Set<Int> = []
    /// The number of records of a large group that are as expected, and are not shown one by one.
    private var alike = 0

    init(_ step: DemoStep, of demoWorker: DemoWorker, on harness: Harness, _ output: DemoOutput) throws {
        self.step = step
        self.demoWorker = demoWorker
        self.harness = harness
        self.output = output
        let page = output.page(of: demoWorker.demo.name)
        self.page = page
        self.outage = step.outage.map { Outage(of: demoWorker, lasting: $0, on: harness, telling: page) }
        self.page.line("")
        self.page.line(step.title, .bold)
        if step.outage == nil {
            self.page.line("  \(Row.heading.text(width: output.width - 2))", .dim)
        }
        self.prelude = step.prelude.map { RunningPrelude($0, of: demoWorker, on: harness) }
        self.faultsAnswer = step.faults.map {
            harness.ask(demoWorker.upstreamRequest("/control/faults", posting: $0))
        }
    }

    var count: Int { self.step.samples.count }

    var settled: Int { self.settledEntries.count }

    var outageResult: Outage.Result? { self.outage?.result }

    /// Takes the next step that is possible now.
    ///
    /// - Returns: whether all records are settled and shown.
    func turn() throws -> Bool {
        guard try self.isTold() else { return false }
        let all = try self.all ?? self.publish()
        self.all = all
        try self.posts.removeAll { try self.demoWorker.isAnswered($0, self.harness) }
        guard let outage else {
            self.showSettled(all)
            guard self.shown.count == all.count, self.posts.isEmpty else { return false }
            if self.alike > 0 {
                self.page.line(
                    "\(self.output.screen.paint("✓", .green)) and \(self.alike) more, as they must be"
                )
            }
            return self.close()
        }
        guard try outage.turn(settled: self.settled, of: all.count) else { return false }
        let letters = all.count { !self.demoWorker.traffic.register.entries[$0].letters.isEmpty }
        outage.tell("\(self.successes(all)) of \(all.count) succeeded, \(letters) dead letters")
        return self.close()
    }

    private func close() -> Bool {
        self.page.complete()
        return true
    }

    /// Whether the outage has begun and the faults are set.
    private func isTold() throws -> Bool {
        if let outage, try !outage.hasBegun() { return false }
        if let prelude, try !prelude.turn() { return false }
        if let text = self.step.prelude?.text, self.prelude != nil {
            self.page.line("  \(text)")
            self.prelude = nil
        }
        guard let id = self.faultsAnswer else { return true }
        guard let answer = self.harness.takeAnswer(id) else { return false }
        guard case .success(let response) = answer, response.status == 200 else {
            throw Complaint(
                "\(self.demoWorker.demo.upstreamName) does not let itself be told what to do wrong"
            )
        }
        self.faultsAnswer = nil
        return true
    }

    private func publish() throws -> Range<Int> {
        let first = self.demoWorker.traffic.register.entries.count
        try self.demoWorker.traffic.publish(self.step.samples) { post in
            self.posts.append(self.harness.ask(post.request(to: self.demoWorker.gateway)))
        }
        self.outage?.tell("\(self.count) good records are published")
        return first..<first + self.count
    }

    private var settledEntries: [Int] {
        let entries = self.demoWorker.traffic.register.entries
        return (self.all ?? 0..<0).filter { entries[$0].settledAt != nil }
    }

    private func successes(_ all: Range<Int>) -> Int {
        all.count { self.demoWorker.traffic.register.entries[$0].outcome?.fate == "succeeded" }
    }

    private func showSettled(_ all: Range<Int>) {
        let entries = self.demoWorker.traffic.register.entries
        let news = self.settledEntries.filter { !self.shown.contains($0) }
        for index in news.sorted(by: { Self.isEarlier(entries[$0], entries[$1]) }) {
            self.shown.insert(index)
            self.show(entries[index])
        }
    }

    private func show(_ entry: Register.Entry) {
        let screen = self.output.screen
        let objections = entry.objections
        guard !entry.sample.isOneOfMany || !objections.isEmpty else { return self.alike += 1 }
        let mark = objections.isEmpty ? screen.paint("✓", .green) : screen.paint("✗", .red)
        let text = Row(entry, isAsExpected: objections.isEmpty).text(width: self.output.width - 2)
        self.page.line("\(mark) \(objections.isEmpty ? text : screen.paint(text, .red))")
        for objection in objections { self.page.line("    it \(objection)", .red) }
    }

    private static func isEarlier(_ left: Register.Entry, _ right: Register.Entry) -> Bool {
        guard let first = left.settledAt, let second = right.settledAt else { return false }
        return first < second
    }
}
