package import CoreMetrics
import Metrics
import ServiceKit
import UpstreamHTTP
import WireFormats

/// The engine's counters and gauges, under the names that dashboards and alerts use.
///
/// The metrics are made once for an engine, so that the hot path finds its counters ready. Only the engine's
/// thread may call them. The values themselves may be read from any thread.
package final class EngineMetrics {
    private let factory: any MetricsFactory
    private let outcomes: [Outcome.Fate: Counter]
    private let receivedRecords: Counter
    private let skippedRecords: Counter
    private let absentOffsets: Counter
    private let staleCompletions: Counter
    private let cutCalls: Counter
    private let recordsWithUnknownFields: Counter
    private let forwardedRecords: Counter
    private let budgetRefusals: Counter
    private let headsOfLine: Counter
    private let bypasses: Counter
    private let heldLanes: Counter
    private let parkedRecords: Counter
    private let putAsideRecords: Counter
    private let commits: [Bool: Counter]
    private let resultFailures: Counter
    private let deadLetterFailures: Counter
    private let attemptsPerRecord: Recorder
    private let latency: Timer
    private let drain: Timer
    private let callDuration: Timer
    private let sentRecords: Counter
    private let retryAfter: Gauge
    private let upstream: String
    /// Metrics that are made at their first use, and found by their label values: to build a label costs more
    /// than a lookup.
    private var answered: [Int: Counter] = [:]
    private var unanswered: [TransferError.Kind: Counter] = [:]
    private var retries: [String: Counter] = [:]
    private var labelled: [String: Counter] = [:]
    private var gauges: [String: Gauge] = [:]
    /// The gauges that show why a lane is held, by the lane.
    private var holds: [String: Gauge] = [:]
    /// The gauges that show why a circuit breaker is not closed, by its endpoint.
    private var openings: [String: Gauge] = [:]
    /// The gauges of the assigned partitions.
    let partitions: PartitionGauges

    /// Makes the metrics of one engine.
    ///
    /// - Parameter upstream: The value of the label `upstream`, which tells this upstream from others.
    package init(factory: any MetricsFactory, upstream: String) {
        func counter(_ name: String, _ dimensions: [(String, String)] = []) -> Counter {
            Counter(label: name, dimensions: dimensions, factory: factory)
        }
        self.factory = factory
        self.partitions = PartitionGauges(factory: factory)
        self.upstream = upstream
        self.outcomes = Dictionary(
            uniqueKeysWithValues: Outcome.Fate.allCases.map {
                ($0, counter("worker_records_total", [("outcome", $0.rawValue)]))
            }
        )
        self.receivedRecords = counter("messaging_client_consumed_messages_total")
        self.sentRecords = counter("messaging_client_sent_messages_total")
        self.skippedRecords = counter("worker_records_total", [("outcome", "skipped")])
        self.absentOffsets = counter("worker_absent_offsets_total")
        self.staleCompletions = counter("worker_stale_completions_total")
        self.cutCalls = counter("worker_calls_cut_short_total")
        self.recordsWithUnknownFields = counter(UnknownFieldsMetric.name)
        self.budgetRefusals = counter("worker_dead_letter_budget_rejections_total")
        self.headsOfLine = counter("worker_head_of_line_resolved_total")
        self.bypasses = counter("worker_order_bypassed_total")
        self.forwardedRecords = counter("worker_records_total", [("outcome", "forwarded")])
        self.heldLanes = counter("worker_lanes_held_total")
        self.parkedRecords = counter("worker_records_parked_total")
        self.putAsideRecords = counter("worker_parking_tickets_total")
        self.commits = [
            true: counter("worker_commits_total", [("result", "acknowledged")]),
            false: counter("worker_commits_total", [("result", "failed")]),
        ]
        self.resultFailures = counter("worker_result_produce_failures_total")
        self.deadLetterFailures = counter("worker_dead_letter_produce_failures_total")
        self.attemptsPerRecord = Recorder(
            label: "worker_record_attempts",
            dimensions: [],
            aggregate: true,
            factory: factory
        )
        self.latency = Timer(label: "worker_end_to_end_latency_seconds", dimensions: [], factory: factory)
        self.drain = Timer(label: "worker_revoke_drain_seconds", dimensions: [], factory: factory)
        let labels = [("upstream", upstream)]
        self.callDuration = Timer(
            label: "http_client_request_duration_seconds",
            dimensions: labels,
            factory: factory
        )
        self.retryAfter = Gauge(
            label: "worker_upstream_retry_after_seconds",
            dimensions: labels,
            factory: factory
        )
    }

    func received() { self.receivedRecords.increment() }
    func sent() { self.sentRecords.increment() }
    func skipped() { self.skippedRecords.increment() }
    func absent(_ offsets: Int64) { self.absentOffsets.increment(by: offsets) }
    /// Counts a record in JSON with members that its schema does not have.
    func unknownFieldsFound() { self.recordsWithUnknownFields.increment() }
    func staleCompletion() { self.staleCompletions.increment() }
    /// Counts a call that was cut short because other records waited for its slot.
    func callCut() { self.cutCalls.increment() }
    func putAside() { self.putAsideRecords.increment() }
    /// Counts a record that has to wait for a held lane.
    func keptHeld() { self.parkedRecords.increment() }
    /// Counts a commit that the broker has acknowledged, of offsets or of a transaction.
    func committed() { self.commits[true]?.increment() }
    func commitFailed() { self.commits[false]?.increment() }
    /// Records how long a drain took, up to the moment at which everything in hand was dropped.
    func drained(nanoseconds: Int64) { self.drain.recordNanoseconds(nanoseconds) }
    /// Shows the last pause that an endpoint asked for, in whole seconds.
    func gated(_ pause: Duration) { self.retryAfter.record(pause.components.seconds) }

    func budgetRefused() { self.budgetRefusals.increment() }
    func headOfLineResolved() { self.headsOfLine.increment() }
    func orderBypassed() { self.bypasses.increment() }
    /// Counts a record that went on to a retry topic.
    func forwarded() { self.forwardedRecords.increment() }

    /// Counts a record whose outcome the broker has, and records its attempts and the time since a worker
    /// first took it in.
    func settled(_ fate: Outcome.Fate, attempts: Int, milliseconds: Int64) {
        self.outcomes[fate]?.increment()
        self.attemptsPerRecord.record(attempts)
        self.latency.recordNanoseconds(max(0, milliseconds) * 1_000_000)
    }

    /// Counts a dead letter, or another record, that the broker did not take.
    func produceFailed(isDeadLetter: Bool) {
        (isDeadLetter ? self.deadLetterFailures : self.resultFailures).increment()
    }

    /// Counts a call that has ended, by its HTTP status or by the way its transfer failed.
    ///
    /// - Parameter nanoseconds: The time from the start of the call to the turn that took in its answer.
    func called(_ exchange: Exchange, nanoseconds: Int64) {
        self.callDuration.recordNanoseconds(nanoseconds)
        switch exchange {
        case .response(let response):
            if let counter = self.answered[response.status] { return counter.increment() }
            let counter = self.counter(
                "worker_upstream_requests_total",
                "status",
                value: String(response.status)
            )
            self.answered[response.status] = counter
            counter.increment()
        case .failure(let error), .ambiguous(let error):
            if let counter = self.unanswered[error.kind] { return counter.increment() }
            let counter = self.counter("worker_upstream_requests_total", "status", value: error.kind.rawValue)
            self.unanswered[error.kind] = counter
            counter.increment()
        }
    }

    func retried(_ reason: String) {
        if let counter = self.retries[reason] { return counter.increment() }
        let counter = self.counter("worker_retries_total", "reason", value: reason)
        self.retries[reason] = counter
        counter.increment()
    }

    func rebalanced(_ kind: String) { self.count("worker_rebalances_total", "kind", value: kind) }

    func deadLettered(_ rejection: Rejection) {
        let key = "dl \(rejection.kind.rawValue) \(rejection.reason.code)"
        let labels = [("class", rejection.kind.rawValue), ("reason", rejection.reason.code)]
        self.labelled(key, "worker_dead_letters_total", labels: labels).increment()
    }

    /// Shows the new state of a circuit breaker: 0 is closed, 1 is half-open, 2 is open.
    ///
    /// - Parameter endpoint: The name of the breaker's endpoint; empty if the upstream has only one.
    func breakerMoved(_ state: CircuitBreaker.State, of endpoint: String) {
        let (name, value) =
            switch state {
            case .closed: ("closed", 0)
            case .halfOpen: ("half_open", 1)
            case .open: ("open", 2)
            }
        self.setCircuit(value, of: endpoint)
        self.count("worker_circuit_transitions_total", "to", value: name)
    }

    /// Shows the reason of the failure that has opened a circuit breaker. `closed` removes the gauge.
    func opened(_ endpoint: String, because reason: String) {
        self.openings.removeValue(forKey: endpoint)?.destroy()
        let labels = self.labels(of: endpoint) + [("reason", reason)]
        let gauge = Gauge(label: "worker_circuit_open", dimensions: labels, factory: self.factory)
        gauge.record(1)
        self.openings[endpoint] = gauge
    }

    /// Removes the gauge with the reason of a circuit breaker, which is closed.
    func closed(_ endpoint: String) { self.openings.removeValue(forKey: endpoint)?.destroy() }

    private func labels(of endpoint: String) -> [(String, String)] {
        [("upstream", self.upstream)] + (endpoint.isEmpty ? [] : [("endpoint", endpoint)])
    }

    /// Makes the gauge of each endpoint's breaker and sets it to closed, so that an alert finds the gauge
    /// before there is trouble.
    func showClosed(circuitsOf endpoints: [String]) { for name in endpoints { self.setCircuit(0, of: name) } }

    private func setCircuit(_ value: Int, of endpoint: String) {
        self.set("worker_circuit_state", value, labels: self.labels(of: endpoint))
    }

    /// Sets a gauge, which is made at its first use.
    ///
    /// The gauge is found by its name and the values of its labels, so the labels of one name always have the
    /// same order.
    func set(_ name: String, _ value: some BinaryInteger, labels: [(String, String)] = []) {
        let key = labels.reduce(name) { "\($0) \($1.1)" }
        let gauge = self.gauges[key] ?? Gauge(label: name, dimensions: labels, factory: self.factory)
        self.gauges[key] = gauge
        gauge.record(Int64(clamping: value))
    }

    /// Shows that a lane is held, and why. `keepHolds` removes the gauge.
    func held(_ lane: String, because reason: String) {
        self.heldLanes.increment()
        self.showHold(of: lane, because: reason)
    }

    /// Shows that a lane waits, and why. `keepHolds` removes the gauge.
    func showHold(of lane: String, because reason: String) {
        self.holds.removeValue(forKey: lane)?.destroy()
        let labels = [("lane", lane), ("reason", reason)]
        let gauge = Gauge(label: "worker_lane_held", dimensions: labels, factory: self.factory)
        gauge.record(1)
        self.holds[lane] = gauge
    }

    /// Removes the gauges of all lanes but these, because they are open again.
    func keepHolds(of lanes: [String]) {
        for lane in self.holds.keys where !lanes.contains(lane) {
            self.holds.removeValue(forKey: lane)?.destroy()
        }
    }

    /// Counts an event that is rare, with the upstream as a further label.
    private func count(_ name: String, _ label: String, value: String) {
        self.labelled("\(name) \(value)", name, labels: [("upstream", self.upstream), (label, value)])
            .increment()
    }

    private func counter(_ name: String, _ label: String, value: String) -> Counter {
        Counter(
            label: name,
            dimensions: [("upstream", self.upstream), (label, value)],
            factory: self.factory
        )
    }

    private func labelled(_ key: String, _ name: String, labels: [(String, String)]) -> Counter {
        if let counter = self.labelled[key] { return counter }
        let counter = Counter(label: name, dimensions: labels, factory: self.factory)
        self.labelled[key] = counter
        return counter
    }
}
