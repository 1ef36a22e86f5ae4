import Harness
import Operations
import Terminal
import UpstreamHTTP

/// An outage of one worker's upstream, during which records are published.
final class Outage {
    /// The events of the outage, for the summary.
    struct Result: Hashable {
        var breakerOpened = 0
        var breakerClosed = 0
    }

    /// The steps of the outage. The first two hold the id of an HTTP request.
    private enum Step {
        /// The worker's counters from before the outage are read.
        case measuring(UInt64)
        /// The simulator is told to start the outage.
        case switching(UInt64)
        /// The outage has been ordered, but the port still answers. Records are published only when it is
        /// closed: a report just before that could be accepted and its answer lost.
        case leaving
        /// The upstream refuses connections.
        case watching
    }

    private let demoWorker: DemoWorker
    private let length: Duration
    private let harness: Harness
    private let page: DemoOutput.Page
    private var step: Step
    private var before = MetricsPage([])
    private var start = ContinuousClock.now
    private var health: Probe
    private var metrics: Probe
    private var isBack = false
    private(set) var result = Result()

    init(
        of demoWorker: DemoWorker,
        lasting length: Duration,
        on harness: Harness,
        telling page: DemoOutput.Page
    ) {
        self.demoWorker = demoWorker
        self.length = length
        self.harness = harness
        self.page = page
        self.health = Probe(request: demoWorker.upstreamRequest("/healthz"))
        self.metrics = Probe(request: demoWorker.metricsRequest)
        self.step = .measuring(harness.ask(demoWorker.metricsRequest))
    }

    /// Takes the next step.
    ///
    /// - Returns: whether the upstream refuses connections.
    /// - Throws: `Complaint` if the worker or the simulator does not answer.
    func hasBegun() throws -> Bool {
        switch self.step {
        case .measuring(let id):
            guard let body = try self.body(id) else { return false }
            self.before = MetricsPage(body)
            let milliseconds = Int64(self.length / .milliseconds(1))
            let order = Array(#"{"down":{"milliseconds":\#(milliseconds)}}"#.utf8)
            self.step = .switching(
                self.harness.ask(self.demoWorker.upstreamRequest("/control/faults", posting: order))
            )
        case .switching(let id):
            guard try self.body(id) != nil else { return false }
            self.start = .now
            self.step = .leaving
        case .leaving:
            guard case .failure? = self.health.turn(self.harness) else { return false }
            self.tell("\(self.demoWorker.demo.upstreamName) refuses every connection")
            self.step = .watching
        case .watching: break
        }
        if case .watching = self.step { return true }
        return false
    }

    private func body(_ id: UInt64) throws -> [UInt8]? {
        guard let answer = self.harness.takeAnswer(id) else { return nil }
        guard case .success(let response) = answer, response.status == 200 else {
            throw Complaint("an outage of \(self.demoWorker.demo.upstreamName) could not be begun")
        }
        return response.body
    }

    /// Reads the worker's circuit breaker, and whether the upstream answers again.
    ///
    /// - Returns: whether the outage is over and every record is settled.
    func turn(settled: Int, of count: Int) throws -> Bool {
        if !self.isBack, case .success(let response)? = self.health.turn(self.harness), response.status == 200
        {
            self.isBackAgain()
        }
        if case .success(let response)? = self.metrics.turn(self.harness) {
            self.note(MetricsPage(response.body))
        }
        return settled == count && self.result.breakerClosed >= self.result.breakerOpened && self.isBack
    }

    private func note(_ page: MetricsPage) {
        func moves(to state: String) -> Int {
            let labels = [("to", state)]
            let name = "worker_circuit_transitions_total"
            return page.sum(name, labels) - self.before.sum(name, labels)
        }
        let opened = moves(to: "open")
        if opened > self.result.breakerOpened {
            let isFirst = self.result.breakerOpened == 0
            self.result.breakerOpened = opened
            self.tell(
                isFirst
                    ? "the circuit breaker opens: no more calls, the records wait"
                    : "a probe finds it still down"
            )
        }
        guard self.result.breakerClosed == 0, moves(to: "closed") > 0 else { return }
        // The worker counts one opening and every failed probe as a move to open, but only one move to
        // closed, so the count is taken over.
        self.result.breakerClosed = self.result.breakerOpened
        // The worker may notice the end of the outage before this process does.
        if !self.isBack { self.isBackAgain() }
        self.tell("the circuit breaker closes: a probe got through")
    }

    private func isBackAgain() {
        self.isBack = true
        self.tell("\(self.demoWorker.demo.upstreamName) listens again")
    }

    /// Prints a line with the time since the outage began.
    func tell(_ text: String) {
        let time = self.start.duration(to: .now).shown
        self.page.line("  \(String(repeating: " ", count: max(0, 7 - time.count)))\(time)  \(text)")
    }
}
