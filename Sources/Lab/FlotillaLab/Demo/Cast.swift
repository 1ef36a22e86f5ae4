import UpstreamHTTP
import WorkerKit

/// All processes of the demo: their start, their addresses and their end.
final class Cast {
    private let stage: Stage
    let players: [Player]
    /// The addresses of the brokers, for `bootstrap.servers`.
    private(set) var brokers = ""

    /// - Parameter acts: the parts of the demo. The parts with an upstream must be in the order in which
    ///   `flotilla-lab upstreams` prints the URLs of the upstreams.
    init(_ acts: [any Act], on stage: Stage, in folder: TemporaryFolder) throws {
        self.stage = stage
        self.players = try acts.map { try Player($0, on: stage, in: folder) }
    }

    /// Starts all processes, prints their addresses, and waits until all workers are ready.
    func enter() throws {
        let screen = self.stage.screen
        screen.line()
        screen.line("A fleet on one machine: a broker, simulators of what it calls, and its workers", .bold)
        screen.line()
        let own = try Sibling.path(of: "flotilla-lab")
        let broker = try self.stage.start(
            "the broker",
            own,
            ["broker", "--kind", "embedded", "--until-stdin-closes"]
        )
        let words = self.players.flatMap(\.act.upstreamWords)
        let upstreams = try self.stage.start(
            "the simulators",
            own,
            ["upstreams", "--until-stdin-closes"] + words
        )
        let called = self.players.filter { $0.act.upstream != nil }
        screen.show("  starting the broker and the simulators")
        try self.stage.turn {
            broker.firstLine != nil && upstreams.firstLines.count >= called.count
        }
        self.brokers = broker.firstLine ?? ""
        self.tell("broker", self.brokers, "embedded, in memory")
        for (player, url) in zip(called, upstreams.firstLines) {
            self.tell(player.act.upstreamName, url, "simulator, with keys of this run only")
            try player.start(brokers: self.brokers, upstream: url)
        }
        for player in self.players where player.act.upstream == nil {
            try player.start(brokers: self.brokers, upstream: "")
        }
        screen.show("  the workers join their consumer groups")
        try self.awaitWorkers()
    }

    private func awaitWorkers() throws {
        let start = ContinuousClock.now
        var missing = self.players
        while !missing.isEmpty {
            try self.stage.turn()
            for player in missing where player.isReady {
                let took = Row.text(start.duration(to: .now))
                self.tell(player.act.worker.name, player.address, "ready after \(took)")
            }
            missing.removeAll(where: \.isReady)
        }
    }

    private func tell(_ who: String, _ address: String, _ what: String) {
        func padded(_ text: String, _ width: Int) -> String {
            text + String(repeating: " ", count: max(0, width - text.count))
        }
        self.stage.screen.line("  \(padded(who, 20)) \(padded(address, 22))  \(what)")
    }

    /// Prints commands for the user, and keeps everything running until the user stops the demo.
    func stay() throws {
        let screen = self.stage.screen
        self.stage.end(by: nil)
        screen.line()
        screen.line("Everything is left running until Ctrl-C. In another terminal:", .bold)
        for player in self.players {
            let topic = player.act.worker.topic
            screen.line()
            for line in [
                "fleet publish \(topic) --brokers \(self.brokers) --file records.jsonl",
                "fleet read \(topic).result --brokers \(self.brokers) --from-beginning",
                "fleet read \(topic).dead-letter --brokers \(self.brokers) --from-beginning",
                "curl \(player.address)/metrics",
            ] { screen.line("  \(line)") }
            for topic in player.act.statementTopics {
                screen.line("  fleet read \(topic) --brokers \(self.brokers) --from-beginning")
            }
            if player.act.upstream != nil { screen.line("  curl \(player.upstreamAddress)/control/stats") }
            screen.line("  tail -f \(player.logPath)")
        }
        screen.line()
        screen.line("  dead-letters groups --brokers \(self.brokers)")
        do {
            while true { try self.stage.turn() }
        } catch is Stage.Interrupted {
            self.stage.grantWish()
        }
    }

    /// Sends SIGTERM to all workers, and waits until they have finished the records in hand and have exited.
    ///
    /// - Returns: the exit of each worker, in their order, with the time that it took; nil for a worker that
    ///   was not running.
    func dismissWorkers() -> [Player.Exit?] {
        self.stage.screen.show("  SIGTERM to the workers: they drain, commit and leave their groups")
        let start = ContinuousClock.now
        self.stage.dismissTogether(self.players.compactMap(\.performer))
        return self.players.map { player in
            guard let performer = player.performer, let exit = performer.process.exit else { return nil }
            return Player.Exit(exit: exit, took: start.duration(to: performer.endedAt ?? .now))
        }
    }

    /// Stops all processes that still run: the workers first, then the simulators and the broker.
    func leave() {
        self.stage.dismissTogether(self.stage.remaining.filter { self.isWorker($0) })
        self.stage.dismiss(self.stage.remaining)
    }

    private func isWorker(_ performer: Performer) -> Bool {
        self.players.contains { $0.performer === performer }
    }
}
