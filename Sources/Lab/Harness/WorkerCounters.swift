package import WireFormats

/// The metrics in which a worker counts the results of its records. The two engines have different ones.
package enum WorkerCounters {
    /// The metrics of the engine of calls, which settles records one by one.
    case records
    /// The metrics of the engine of states, which counts events.
    case events

    /// The number of records with this outcome.
    package func count(of fate: Outcome.Fate, on page: MetricsPage) -> Int {
        switch self {
        case .records: page.sum("worker_records_total", [("outcome", fate.rawValue)])
        case .events:
            self.results(of: fate).reduce(0) { $0 + page.sum("push_events_total", [("result", $1)]) }
        }
    }

    /// The number of dead letters.
    package func letters(on page: MetricsPage) -> Int {
        switch self {
        case .records: page.sum("worker_dead_letters_total")
        case .events: self.count(of: .deadLettered, on: page)
        }
    }

    /// The number of settled records.
    package func total(on page: MetricsPage) -> Int {
        page.sum(self == .records ? "worker_records_total" : "push_events_total")
    }

    /// The results of push events that have this outcome.
    private func results(of fate: Outcome.Fate) -> [String] {
        switch fate {
        case .succeeded: ["accepted", "duplicate", "late", "ineligible"]
        case .rejected, .deadLettered: [fate.rawValue]
        case .expired: []
        }
    }
}
