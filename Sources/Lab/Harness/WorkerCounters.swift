package import Operations
package import WireFormats

/// The metrics in which a worker counts the results of its records. The two engines have different ones.
package enum WorkerCounters {
    /// The metrics of the engine of calls, which settles records one by one.
    case records
    /// The metrics of the engine of states, which counts events.
    case events
    /// The metrics of the intake, which counts uploads.
    case uploads

    /// The number of records with this outcome.
    package func count(of fate: Outcome.Fate, on page: MetricsPage) -> Int {
        switch self {
        case .records: page.sum("worker_records_total", [("outcome", fate.rawValue)])
        case .events:
            self.results(of: fate).reduce(0) { $0 + page.sum("push_events_total", [("result", $1)]) }
        case .uploads: page.sum(Self.intake, [("kind", "upload"), ("result", self.results(of: fate)[0])])
        }
    }

    /// The number of dead letters.
    package func letters(on page: MetricsPage) -> Int {
        switch self {
        case .records: page.sum("worker_dead_letters_total")
        case .events, .uploads: self.count(of: .deadLettered, on: page)
        }
    }

    /// The number of settled records.
    package func total(on page: MetricsPage) -> Int {
        switch self {
        case .records: page.sum("worker_records_total")
        case .events: page.sum("push_events_total")
        case .uploads: page.sum(Self.intake, [("kind", "upload")])
        }
    }

    private static let intake = "intake_records_total"

    /// The words for this outcome in the metrics of events and uploads.
    private func results(of fate: Outcome.Fate) -> [String] {
        switch fate {
        case .succeeded where self == .uploads: ["taken"]
        case .succeeded: ["accepted", "duplicate", "late", "ineligible"]
        case .rejected, .deadLettered, .expired: [fate.rawValue]
        }
    }
}
