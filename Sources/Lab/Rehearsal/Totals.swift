import Harness
import Operations
import ServiceKit
import Terminal
import WireFormats

/// The numbers of the whole demo, with one line for each worker.
struct Totals {
    private static let heads =
        ["published"] + Outcome.Fate.allCases.map(\.plural) + ["retries", "calls", "accepted"]

    private let audits: [Audit]

    init(_ audits: [Audit]) { self.audits = audits }

    func show(on output: DemoOutput) {
        let screen = output.screen
        screen.line()
        screen.line("In all", .bold)
        let space = String(repeating: " ", count: output.screen.width - output.width)
        screen.line(space + Self.line(Self.heads), .dim)
        for audit in self.audits {
            screen.line(output.head(audit.worker.topic) + Self.line(Self.numbers(of: audit)))
        }
        for audit in self.audits {
            for remark in audit.remarks { screen.line(output.head(audit.worker.topic) + remark) }
        }
    }

    private static func numbers(of audit: Audit) -> [String] {
        let entries = audit.register.entries
        let fates = Outcome.Fate.allCases.map { fate in
            entries.count { $0.outcome?.fate == fate.rawValue }
        }
        let tally = audit.answers.tally
        let retries = audit.metrics.map { $0.sum("worker_retries_total") }
        let numbers = [entries.count] + fates + [retries, tally?.requests, tally?.accepted]
        return numbers.map { $0.map(String.init) ?? "–" }
    }

    private static func line(_ cells: [String]) -> String {
        zip(cells, Self.heads).map { cell, head in
            String(repeating: " ", count: max(0, head.count - cell.count)) + cell
        }.joined(separator: "  ")
    }
}

extension Outcome.Fate {
    fileprivate var plural: String {
        switch self {
        case .succeeded: "succeeded"
        case .rejected: "rejected"
        case .expired: "expired"
        case .deadLettered: "dead letters"
        }
    }
}
