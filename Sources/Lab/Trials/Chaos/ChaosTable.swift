import Harness
import WorkerKit

/// A table with two columns.
struct ChaosTable {
    private var rows: [(String, String)] = []

    mutating func add(_ name: String = "", _ value: String = "") { self.rows.append((name, value)) }

    var lines: [String] {
        let width = self.rows.map(\.0.count).max() ?? 0
        return self.rows.map { name, value in
            guard !name.isEmpty else { return "" }
            return "  \(name)\(String(repeating: " ", count: width - name.count + 2))\(value)"
        }
    }
}

// The rows that the tables of all chaos runs have.
extension ChaosTable {
    mutating func addRun(_ options: ChaosOptions) {
        let broker = options.brokers == nil ? "embedded broker" : "real cluster"
        self.add(
            "run",
            "\(options.length.shown), \(options.delivery.rawValue), \(broker), seed \(options.seed)"
        )
    }

    /// Adds the faults that were injected.
    ///
    /// - Parameter upstream: The name of what the workers call.
    mutating func addFaults(_ tally: ChaosTally, of upstream: String) {
        self.add("kill -9", "\(tally.kills)")
        self.add("SIGSTOP and SIGCONT", "\(tally.pauses)")
        self.add("scaled down, up", "\(tally.scaledDown), \(tally.scaledUp)")
        self.add("lives with a small queue", "\(tally.smallQueues)")
        self.add("faults of the \(upstream)", "\(tally.upstreamFaults)")
        self.add("faults of the broker", Self.brokerFaults(tally))
    }

    private static func brokerFaults(_ tally: ChaosTally) -> String {
        guard let counts = tally.brokerCounts else { return "\(tally.brokerFaults)" }
        return "\(tally.brokerFaults): \(counts.refusedProduces) requests refused, "
            + "\(counts.unansweredProduces + counts.unansweredEnds) answers lost, "
            + "\(counts.refusedConnections) connections refused"
    }

    /// Adds how the programs ended.
    mutating func addEnd(_ tally: ChaosTally) {
        self.add("longest stop after SIGTERM", tally.longestLeaving.shown)
        self.add("settled after the load", tally.settling?.shown ?? "never")
        self.add("lag of the groups", "\(tally.lag)")
        self.add("programs whose Kafka client failed", "\(tally.clientFailures)")
    }
}
