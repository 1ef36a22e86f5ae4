import Fleet
import Harness
import ServiceKit
import Terminal
import UpstreamHTTP

/// All processes of the demo: their start, their addresses and their end.
final class DemoProcesses {
    private let harness: Harness
    let workers: [DemoWorker]
    /// The addresses of the brokers, for `bootstrap.servers`.
    private(set) var brokers = ""

    /// - Parameter demos: the parts of the demo. The parts with an upstream must be in the order in which
    ///   `flotilla-lab upstreams` prints the URLs of the upstreams.
    init(_ demos: [any WorkerDemo], on harness: Harness, in folder: TemporaryFolder) throws {
        self.harness = harness
        self.workers = try demos.map { try DemoWorker($0, on: harness, in: folder) }
    }

    /// Starts all processes, prints their addresses, and waits until all workers are ready.
    func start() throws {
        let screen = self.harness.screen
        screen.line()
        screen.line("A fleet on one machine: a broker, simulators of what it calls, and its workers", .bold)
        screen.line()
        let own = try Sibling.path(of: "flotilla-lab")
        let broker = try self.harness.start(
            "the broker",
            own,
            arguments: ["broker", "--kind", "embedded", "--until-stdin-closes"]
                + self.topics.flatMap { ["--topic", $0.defaultValueDescription] }
        )
        let words = self.workers.flatMap(\.demo.upstreamWords)
        let upstreams = try self.harness.start(
            "the simulators",
            own,
            arguments: ["upstreams", "--until-stdin-closes"] + words
        )
        let others = try self.workers.filter { !$0.demo.ownUpstreamWords.isEmpty }.map { demoWorker in
            try self.harness.start(
                "the simulators of \(demoWorker.demo.name)",
                own,
                arguments: ["upstreams", "--until-stdin-closes"] + demoWorker.demo.ownUpstreamWords
            )
        }
        let called = self.workers.filter { $0.demo.upstream != nil }
        screen.show("  starting the broker and the simulators")
        try self.harness.turn {
            broker.firstLine != nil && upstreams.firstLines.count >= called.count
                && others.allSatisfy { $0.firstLines.count >= 2 }
        }
        self.brokers = broker.firstLine ?? ""
        self.tell("broker", self.brokers, note: "embedded, in memory")
        for (demoWorker, url) in zip(called, upstreams.firstLines) {
            self.tell(demoWorker.demo.upstreamName, url, note: "simulator, with keys of this run only")
            try demoWorker.start(brokers: self.brokers, upstream: url)
        }
        for (demoWorker, process) in zip(self.workers.filter { !$0.demo.ownUpstreamWords.isEmpty }, others) {
            demoWorker.demo.start(with: process.firstLines)
            for url in process.firstLines {
                self.tell("for \(demoWorker.demo.name)", url, note: "simulator, for this part alone")
            }
        }
        for demoWorker in self.workers where demoWorker.demo.upstream == nil {
            try demoWorker.start(brokers: self.brokers, upstream: "")
        }
        screen.show("  the workers join their consumer groups")
        try self.awaitWorkers()
    }

    private func awaitWorkers() throws {
        let start = ContinuousClock.now
        var missing = self.workers.flatMap(\.processes)
        while !missing.isEmpty {
            try self.harness.turn()
            for process in missing where process.isReady {
                let took = start.duration(to: .now).shown
                self.tell(process.program.name, process.address, note: "ready after \(took)")
            }
            missing.removeAll(where: \.isReady)
        }
        let gateway = self.workers.lazy.compactMap(\.ownGateway).first
        for demoWorker in self.workers { demoWorker.gateway = gateway ?? "" }
    }

    private func tell(_ who: String, _ address: String, note what: String) {
        func padded(_ text: String, _ width: Int) -> String {
            text + String(repeating: " ", count: max(0, width - text.count))
        }
        self.harness.screen.line("  \(padded(who, 20)) \(padded(address, 22))  \(what)")
    }

    /// All topics of the fleet, and those that only a part uses.
    private var topics: [TopicPlan] {
        let fleet = Roster.topics
        let known = Set(fleet.map(\.name))
        let others = Set(self.workers.flatMap(\.demo.topics)).subtracting(known)
        return fleet + others.sorted().map { TopicPlan(name: $0, partitions: Roster.partitions) }
    }

    /// Prints commands for the user, and keeps everything running until the user stops the demo.
    func stay() throws {
        let screen = self.harness.screen
        self.harness.end(by: nil)
        screen.line()
        screen.line("Everything is left running until Ctrl-C. In another terminal:", .bold)
        for demoWorker in self.workers {
            let topic = demoWorker.demo.worker.topic
            screen.line()
            for line in [
                "fleet publish \(topic) --brokers \(self.brokers) --file records.jsonl",
                "fleet read \(topic).result --brokers \(self.brokers) --from-beginning",
                "fleet read \(topic).dead-letter --brokers \(self.brokers) --from-beginning",
                "curl \(demoWorker.address)/metrics",
            ] { screen.line("  \(line)") }
            for topic in demoWorker.demo.statementTopics {
                screen.line("  fleet read \(topic) --brokers \(self.brokers) --from-beginning")
            }
            if demoWorker.demo.upstream != nil {
                screen.line("  curl \(demoWorker.upstreamAddress)/control/stats")
            }
            screen.line("  tail -f \(demoWorker.logPath)")
        }
        screen.line()
        screen.line("  dead-letters groups --brokers \(self.brokers)")
        do {
            while true { try self.harness.turn() }
        } catch is Harness.Interrupted {
            self.harness.grantWish()
        }
    }

    /// Sends SIGTERM to all workers, and waits until they have finished the records in hand and have exited.
    ///
    /// - Returns: the exit of each worker, in their order, with the time that it took; nil for a worker that
    ///   was not running.
    func dismissWorkers() -> [DemoWorker.Exit?] {
        self.harness.screen.show("  SIGTERM to the workers: they drain, commit and leave their groups")
        let start = ContinuousClock.now
        self.harness.dismissTogether(self.workers.flatMap(\.children))
        return self.workers.map { $0.exit(since: start) }
    }

    /// Stops all processes that still run: the workers first, then the simulators and the broker.
    func stop() {
        self.harness.dismissTogether(self.harness.remaining.filter { self.isWorker($0) })
        self.harness.dismiss(self.harness.remaining)
    }

    private func isWorker(_ child: CapturedProcess) -> Bool {
        self.workers.contains { $0.children.contains { $0 === child } }
    }
}
