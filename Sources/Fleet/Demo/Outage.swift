import UpstreamHTTP

/// The scene in which GDT is down, while records go on coming.
struct Outage {
    /// What became of it, for the summary.
    struct Result {
        var breakerOpened = 0
        var breakerClosed = 0
    }

    static let records = 50
    private static let length = Duration.seconds(3)

    let stage: Stage
    let cast: Cast

    func play(_ specimens: [Specimen]) throws -> Result {
        let screen = self.stage.screen
        screen.line()
        screen.line("GDT is down for \(Row.text(Self.length)): nothing is lost, and nothing is dead", .bold)
        let before = MetricsPage(try self.stage.fetch(self.cast.metricsRequest))
        let milliseconds = Int64(Self.length / .milliseconds(1))
        _ = try self.stage.fetch(
            self.cast.upstreamRequest(
                "/control/faults",
                posting: #"{"down":{"milliseconds":\#(milliseconds)}}"#
            )
        )
        let story = Story(screen: screen, start: .now)
        // Not before GDT is gone: a report on its way just then could be accepted, and its answer lost.
        var health = Probe(request: self.cast.upstreamRequest("/healthz"))
        var isGone = false
        while !isGone {
            try self.stage.turn()
            if case .failure? = health.turn(self.stage) { isGone = true }
        }
        story.tell("GDT refuses every connection")
        let first = self.cast.traffic.register.entries.count
        try self.cast.traffic.publish(specimens)
        story.tell("\(specimens.count) good records are published")
        let all = first..<first + specimens.count
        let result = try self.watch(all, story, since: before)
        story.tell("\(self.successes(all)) of \(all.count) succeeded, \(self.letters(all)) dead letters")
        return result
    }

    /// Asks the worker how its breaker is, and GDT whether it is back, until every record is settled.
    private func watch(_ all: Range<Int>, _ story: Story, since before: MetricsPage) throws -> Result {
        var result = Result()
        var metrics = Probe(request: self.cast.metricsRequest)
        var health = Probe(request: self.cast.upstreamRequest("/healthz"))
        var isBack = false
        var settled = 0
        while settled < all.count || result.breakerClosed < result.breakerOpened || !isBack {
            try self.stage.turn()
            settled = all.count { self.cast.traffic.register.entries[$0].settledAt != nil }
            if !isBack, case .success(let response)? = health.turn(self.stage), response.status == 200 {
                isBack = true
                story.tell("GDT listens again")
            }
            if case .success(let response)? = metrics.turn(self.stage) {
                Self.note(MetricsPage(response.body), since: before, story, &result, &isBack)
            }
            self.stage.screen.show("… \(settled) of \(all.count) settled, \(self.letters(all)) dead letters")
        }
        self.stage.screen.show("")
        return result
    }

    private static func note(
        _ page: MetricsPage,
        since before: MetricsPage,
        _ story: Story,
        _ result: inout Result,
        _ isBack: inout Bool
    ) {
        func moves(to state: String) -> Int {
            let labels = [("to", state)]
            let name = "worker_circuit_transitions_total"
            return page.sum(name, labels) - before.sum(name, labels)
        }
        let opened = moves(to: "open")
        if opened > result.breakerOpened {
            let isFirst = result.breakerOpened == 0
            result.breakerOpened = opened
            story.tell(
                isFirst
                    ? "the circuit breaker opens: no more calls, the records wait"
                    : "a probe finds it still down"
            )
        }
        guard result.breakerClosed == 0, moves(to: "closed") > 0 else { return }
        // One opening and any number of failed probes end with one closing.
        result.breakerClosed = result.breakerOpened
        // The worker may be quicker to notice than we are.
        if !isBack {
            isBack = true
            story.tell("GDT listens again")
        }
        story.tell("the circuit breaker closes: a probe got through")
    }

    private func successes(_ all: Range<Int>) -> Int {
        all.count { self.cast.traffic.register.entries[$0].outcome?.fate == "succeeded" }
    }

    private func letters(_ all: Range<Int>) -> Int {
        all.count { !self.cast.traffic.register.entries[$0].letters.isEmpty }
    }
}

/// Lines with the time at which they happened.
private struct Story {
    let screen: Screen
    let start: ContinuousClock.Instant

    func tell(_ text: String) {
        let time = Row.text(self.start.duration(to: .now))
        self.screen.line("  \(String(repeating: " ", count: max(0, 7 - time.count)))\(time)  \(text)")
    }
}
