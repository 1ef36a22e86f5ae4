import WireFormats

/// Where a worker's page of metrics says what became of its records: not all workers are of one engine.
enum WorkerCounters {
    /// Records that are settled one by one.
    case records
    /// Events that are counted.
    case events

    func count(of fate: Outcome.Fate, on page: MetricsPage) -> Int {
        switch self {
        case .records: page.sum("worker_records_total", [("outcome", fate.rawValue)])
        case .events:
            self.results(of: fate).reduce(0) { $0 + page.sum("push_events_total", [("result", $1)]) }
        }
    }

    func letters(on page: MetricsPage) -> Int {
        switch self {
        case .records: page.sum("worker_dead_letters_total")
        case .events: self.count(of: .deadLettered, on: page)
        }
    }

    func total(on page: MetricsPage) -> Int {
        page.sum(self == .records ? "worker_records_total" : "push_events_total")
    }

    /// What the events are counted as that end so.
    private func results(of fate: Outcome.Fate) -> [String] {
        switch fate {
        case .succeeded: ["accepted", "duplicate", "late", "ineligible"]
        case .rejected, .deadLettered: [fate.rawValue]
        case .expired: []
        }
    }
}
