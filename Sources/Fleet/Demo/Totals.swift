import UpstreamSimulator
import WireFormats

/// The numbers of the whole demo.
struct Totals {
    private let entries: [Register.Entry]
    private let stats: SimulatorStats?
    private let metrics: MetricsPage

    init(_ register: Register, _ stats: SimulatorStats?, _ metrics: MetricsPage) {
        self.entries = register.entries
        self.stats = stats
        self.metrics = metrics
    }

    func show(on screen: Screen) {
        let fates = Outcome.Fate.allCases.map { fate in
            "\(self.entries.count { $0.outcome?.fate == fate.rawValue }) \(fate.plural)"
        }
        screen.line()
        screen.line("In all", .bold)
        screen.line("  \(self.entries.count) published: \(fates.joined(separator: ", "))")
        screen.line("  \(self.metrics.sum("worker_retries_total")) retries, each when it was due")
        guard let stats else { return }
        screen.line(
            "  \(stats.requests) calls reached GDT; it accepted \(stats.accepted) reports of \(stats.distinctAccepted) conversions"
        )
        guard stats.duplicates > 0 else { return }
        let titles = self.entries.filter { $0.specimen.accepted > 1 }.map { "\"\($0.specimen.title)\"" }
        screen.line("  \(stats.duplicates) conversions were counted twice: \(titles.joined(separator: ", "))")
        screen.line("    GDT had accepted the report and the answer was lost; its API has no key to")
        screen.line("    recognise the repeat by")
    }
}

extension Outcome.Fate {
    fileprivate var plural: String {
        switch self {
        case .succeeded: "succeeded"
        case .rejected: "rejected"
        case .expired: "expired"
        case .deadLettered: "dead-lettered"
        }
    }
}
