import Foundation
import Kafka
import UpstreamSimulator
import WireFormats

/// Whether everything came as it had to.
struct Audit {
    struct WorkerExit {
        var exit: ChildProcess.Exit
        var took: Duration
    }

    /// One sentence, and what speaks against it.
    private struct Finding {
        var claim: String
        var objections: [String]
    }

    private static let linesLimit = 30

    /// What kept the demo from its end.
    var misfortunes: [String] = []
    var outage = Outage.Result()
    var workerExit: WorkerExit?
    private var stats: SimulatorStats?
    private var metrics: MetricsPage?
    private var first: [Register.Entry] = []
    /// What both topics say when they are read from the beginning.
    private var second: Register?

    /// Asks GDT and the worker for their own counts.
    mutating func takeNumbers(_ stage: Stage, _ cast: Cast) throws {
        let stats = try stage.fetch(cast.upstreamRequest("/control/stats"))
        self.stats = try JSONDecoder().decode(SimulatorStats.self, from: Data(stats))
        // An outcome can be read before the worker knows that the broker has it, and counts it.
        var counters = MetricsPage(try stage.fetch(cast.metricsRequest))
        let limit = ContinuousClock.now + .seconds(5)
        while counters.sum("worker_records_total") < cast.traffic.register.entries.count, .now < limit {
            counters = MetricsPage(try stage.fetch(cast.metricsRequest))
        }
        self.metrics = counters
        Totals(cast.traffic.register, self.stats, counters).show(on: stage.screen)
    }

    /// Reads both topics to their ends, after the last word of the worker.
    mutating func readAgain(_ stage: Stage, _ cast: Cast) throws {
        let topics = [Roster.activation.resultTopic, Roster.activation.deadLetterTopic]
        let reader = try Stage.reader(of: topics, cast.brokers)
        self.first = cast.traffic.register.entries
        var register = cast.traffic.register.blank()
        stage.end(by: .now + .seconds(30))
        while !reader.isAtEnd {
            reader.read(atMost: 10_000, { register.arrived($0) }, { _ in })
            if !reader.isAtEnd { try stage.turn() }
        }
        self.second = register
    }

    /// Says what is as it must be and what is not.
    ///
    /// - Returns: whether everything is.
    func conclude(_ stage: Stage, _ register: Register) -> Bool {
        let screen = stage.screen
        let findings = self.findings(register)
        screen.line()
        screen.line("Checked", .bold)
        for finding in findings {
            let isTrue = finding.objections.isEmpty
            let mark = isTrue ? screen.paint("✓", .green) : screen.paint("✗", .red)
            screen.line("\(mark) \(finding.claim)")
        }
        let missing = self.misfortunes + findings.flatMap(\.objections)
        screen.line()
        guard missing.isEmpty else {
            screen.line("Not as expected:", .red)
            for line in missing.prefix(Self.linesLimit) { screen.line("  \(line)") }
            if missing.count > Self.linesLimit {
                screen.line("  … and \(missing.count - Self.linesLimit) more")
            }
            return false
        }
        screen.line("Every record is accounted for.", .green)
        return true
    }

    private func findings(_ register: Register) -> [Finding] {
        let entries = register.entries
        let letters = entries.count { $0.specimen.fate == .deadLettered }
        return [
            Finding(
                claim: "each of the \(entries.count) records has one outcome, the expected one",
                objections: Self.objections(in: entries, about: { $0.specimen.fate != .deadLettered })
                    + register.riddles.map { "\($0) cannot be understood" }
            ),
            Finding(
                claim:
                    "the \(letters) dead letters hold their records untouched, and outcomes name them",
                objections: Self.objections(in: entries, about: { $0.specimen.fate == .deadLettered })
            ),
            Finding(
                claim: "read again from the beginning, both topics say the same",
                objections: self.secondObjections
            ),
            Finding(
                claim: "GDT accepted every conversion that succeeded, and no other",
                objections: self.objectionsOfUpstream(entries)
            ),
            Finding(claim: "the worker's own counters agree", objections: self.objectionsOfMetrics(entries)),
            Finding(
                claim: "in the outage the circuit breaker opened, and closed again",
                objections: self.outage.breakerOpened > 0 && self.outage.breakerClosed > 0
                    ? [] : ["the circuit breaker did not open, or did not close again"]
            ),
            self.exitFinding,
        ]
    }

    private static func objections(
        in entries: [Register.Entry],
        about isMeant: (Register.Entry) -> Bool
    ) -> [String] {
        entries.filter(isMeant).flatMap { entry in
            entry.objections.map { "\(entry.specimen.title) (\(entry.place ?? "not in the topic")) \($0)" }
        }
    }

    private var secondObjections: [String] {
        guard let second else { return ["the topics were not read again"] }
        let first = Set(Self.objections(in: self.first) { _ in true })
        return Self.objections(in: second.entries) { _ in true }.filter { !first.contains($0) }
            .map { "read again: \($0)" }
    }

    private func objectionsOfUpstream(_ entries: [Register.Entry]) -> [String] {
        guard let stats else { return ["GDT was not asked for its counters"] }
        let distinct = entries.count { $0.specimen.accepted > 0 }
        let accepted = entries.reduce(0) { $0 + $1.specimen.accepted }
        var objections: [String] = []
        if stats.distinctAccepted != distinct {
            objections.append("GDT accepted \(stats.distinctAccepted) conversions instead of \(distinct)")
        }
        if stats.accepted != accepted {
            objections.append("GDT accepted \(stats.accepted) reports instead of \(accepted)")
        }
        return objections
    }

    private func objectionsOfMetrics(_ entries: [Register.Entry]) -> [String] {
        guard let metrics else { return ["the worker was not asked for its counters"] }
        return Outcome.Fate.allCases.compactMap { fate in
            let expected = entries.count { $0.specimen.fate == fate }
            let counted = metrics.sum("worker_records_total", [("outcome", fate.rawValue)])
            return counted == expected
                ? nil : "the worker counts \(counted) \(fate.rawValue) instead of \(expected)"
        }
    }

    private var exitFinding: Finding {
        guard let workerExit else {
            return Finding(
                claim: "the worker ended with 0 after SIGTERM",
                objections: ["the worker was not stopped"]
            )
        }
        let took = Row.text(workerExit.took)
        return Finding(
            claim: "the worker drained and ended with 0, \(took) after SIGTERM",
            objections: workerExit.exit == .code(0)
                ? [] : ["the worker ended with \(workerExit.exit) after SIGTERM"]
        )
    }
}
