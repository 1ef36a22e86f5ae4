import Operations

/// The numbers of one worker, read from its metrics page.
struct WorkerFigures: Hashable, Sendable {
    /// A part of an upstream with its circuit breaker.
    struct Endpoint: Hashable, Sendable {
        /// The name of the endpoint, or of the upstream if it has only one.
        var name: String
        var breaker: Breaker
    }

    /// The state of a circuit breaker, as `worker_circuit_state` counts it.
    enum Breaker: String, Hashable, Sendable {
        case closed
        case halfOpen = "half-open"
        case open

        init(_ value: Double) { self = value >= 2 ? .open : value >= 1 ? .halfOpen : .closed }
    }

    /// A lane that is held, or along which records wait.
    struct Lane: Hashable, Sendable {
        var name: String
        /// The code of the reason for which it is held; nil if it is open again.
        var reason: String?
        /// The records in memory that wait for it.
        var waiting: Int
    }

    /// Counters that only grow while the process lives.
    struct Counters: Hashable, Sendable {
        /// Records that came to an end.
        var settled: Int
        /// Calls to the upstream that ended; 0 for a worker that calls none.
        var calls: Int
        var deadLetters: Int
    }

    /// The name of the program.
    var name: String
    var version: String
    /// The partitions that it has, those of retry topics included.
    var partitions: Int
    /// Offsets between the committed one and the end of the log; nil until the worker shows it.
    var lag: Int?
    /// Records that are neither settled nor parked; nil until the worker shows it.
    var backlog: Int?
    /// Calls in flight.
    var inFlight: Int
    /// Records that are parked in the parking topic.
    var parked: Int
    /// The age of the oldest parked record, in seconds.
    var oldestParked: Int
    /// The age of the oldest record that is not settled, in seconds; nil without partitions.
    var oldestUnfinished: Int?
    var endpoints: [Endpoint]
    var lanes: [Lane]
    var counters: Counters
}

extension WorkerFigures {
    /// Reads a page; nil if no program of this fleet has written it.
    init?(_ page: MetricsPage) {
        guard let build = page.series(of: "worker_build_info").first, let name = build.labels["worker"] else {
            return nil
        }
        self.name = name
        self.version = build.labels["version"] ?? ""
        self.partitions =
            page.shows("worker_partitions_assigned")
            ? page.sum("worker_partitions_assigned") : page.series(of: "worker_partition_next_offset").count
        self.lag = Self.sum("worker_partition_lag_records", on: page)
        self.backlog = Self.sum("worker_backlog_records", on: page)
        self.inFlight = page.sum("worker_records_inflight")
        self.parked = page.sum("worker_parking_tickets")
        self.oldestParked = page.sum("worker_parking_oldest_age_seconds")
        self.oldestUnfinished = page.largest("worker_oldest_unfinished_age_seconds").flatMap {
            Int(exactly: $0.rounded())
        }
        self.endpoints = page.series(of: "worker_circuit_state").map {
            Endpoint(
                name: $0.labels["endpoint"] ?? $0.labels["upstream"] ?? "",
                breaker: Breaker($0.value)
            )
        }.sorted { $0.name < $1.name }
        self.lanes = Self.lanes(on: page)
        self.counters = Counters(page)
    }

    private static func sum(_ name: String, on page: MetricsPage) -> Int? {
        page.shows(name) ? page.sum(name) : nil
    }

    private static func lanes(on page: MetricsPage) -> [Lane] {
        var lanes: [String: Lane] = [:]
        for series in page.series(of: "worker_lane_held") where series.value > 0 {
            guard let name = series.labels["lane"] else { continue }
            lanes[name] = Lane(name: name, reason: series.labels["reason"], waiting: 0)
        }
        for series in page.series(of: "worker_lane_records_parked") where series.value > 0 {
            guard let name = series.labels["lane"] else { continue }
            lanes[name, default: Lane(name: name, reason: nil, waiting: 0)].waiting =
                Int(exactly: series.value.rounded()) ?? 0
        }
        return lanes.values.sorted { $0.name < $1.name }
    }
}

extension WorkerFigures.Counters {
    /// Reads the counters of the engine of calls, or else of the workers on the engine of states.
    init(_ page: MetricsPage) {
        let fates = ["succeeded", "rejected", "expired", "dead_lettered"]
        self.settled =
            page.shows("worker_records_total")
            ? fates.reduce(0) { $0 + page.sum("worker_records_total", [("outcome", $1)]) }
            : page.sum("worker_stream_records_total")
        self.calls = page.sum("worker_upstream_requests_total")
        let dead = [("result", "dead_lettered")]
        self.deadLetters =
            page.sum("worker_dead_letters_total") + page.sum("push_events_total", dead)
            + page.sum("intake_records_total", dead)
    }
}
