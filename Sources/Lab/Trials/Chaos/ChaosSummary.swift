import Harness
import ServiceKit
import WireFormats
import WorkerKit

/// The table at the end of a chaos run, with the objections.
struct ChaosSummary {
    /// The lines of the table.
    let lines: [String]
    /// One sentence for each broken promise; empty if all promises held.
    let objections: [String]

    /// Makes the summary.
    ///
    /// - Parameters:
    ///   - receipts: the audit of the receipts; nil if there were none.
    ///   - pushes: the audit of the push events; nil if there were none.
    init(
        _ options: ChaosOptions,
        _ audit: ChaosAudit,
        receipts: ChaosAudit?,
        pushes: ChaosAudit?,
        tally: ChaosTally,
        takeovers: Takeovers
    ) {
        let findings = audit.findings
        // The push-arrival worker knows only one way of delivery.
        self.objections =
            [audit, receipts].compactMap(\.self).flatMap { $0.findings.objections(options.delivery) }
            + (pushes?.findings.objections(.exactlyOnce) ?? [])
        var table = ChaosTable()
        table.addRun(options)
        table.add(
            "fleet",
            "\(options.workers) workers\(receipts == nil ? "" : ", \(options.sideWorkers) for receipts")"
                + "\(pushes == nil ? "" : ", \(options.sideWorkers) for push events") in \(tally.lives) lives, \(ChaosCluster.partitions) partitions"
        )
        table.addFaults(tally, of: "upstream")
        table.add()
        table.add("inputs", "\(audit.inputs.count), \(Self.sorts(audit))")
        table.add("lost", "\(findings.count(.lost) + findings.count(.undelivered))")
        if let waits = Self.waits(audit) { table.add("honest users' outcomes", waits) }
        table.add("outcomes visible", "\(findings.outcomes), \(Self.fates(findings))")
        table.add("duplicated outcomes", "\(findings.count(.repeatedOutcome))")
        table.add("wrong fates", "\(findings.count(.wrongFate) + findings.count(.riddle))")
        table.add("dead letters", "\(findings.letters), \(findings.count(.repeatedLetter)) duplicated")
        table.add("dead letters by an outage", "\(findings.count(.strayLetter))")
        table.add("dead letters that do not fit", "\(findings.count(.wrongLetter))")
        table.add("order violations, calls", "\(findings.count(.callOutOfOrder))")
        table.add(
            "order violations, outcomes",
            "\(findings.count(.outcomeOutOfOrder) + findings.count(.misordered))"
        )
        table.add("calls", "\(findings.calls), \(findings.repeatedCalls) after the last word")
        table.add("calls that nobody asked for", "\(findings.count(.strangeCall))")
        if options.hasAdversary { Self.addHarms(audit, to: &table) }
        if let receipts { Self.add(receipts, to: &table, options) }
        if let pushes { Self.add(pushes: pushes, to: &table) }
        table.add()
        table.add("worked again after kill -9", Self.takeovers(takeovers))
        table.addEnd(tally)
        table.add("workers that stood still in silence", "\(findings.count(.silent))")
        table.add("workers that failed otherwise", "\(findings.count(.worker))")
        self.lines = [""] + table.lines + [""]
    }

    /// Adds the numbers of the harms that have no row of their own elsewhere.
    private static func addHarms(_ audit: ChaosAudit, to table: inout ChaosTable) {
        let count = { (kind: InputKind) in audit.inputs.count { $0.kind == kind } }
        table.add(
            "values and keys at the limit",
            "\(count(.oversized)) and \(count(.longKey)), \(count(.empty)) values empty"
        )
        table.add("answers beyond the limit", "\(count(.largeAnswer)), and \(count(.poison)) poison")
        table.add("times that are years off", "\(count(.longAgo)) behind and \(count(.farAhead)) ahead")
        table.add("of an account that GDT did not know", "\(count(.lateAccount))")
        let partitions = audit.newPartitions
        table.add(
            "new partitions taken up",
            partitions.waits.last.map { "\(partitions.count), after \($0.shown) at most" } ?? "not measured"
        )
        let moved = audit.movedBack
        table.add("after a moved position", "\(moved.count) records, \(moved.excused) with one more outcome")
    }

    /// Adds the numbers of the receipts, and the effects of the outage of the sandbox on them.
    private static func add(_ audit: ChaosAudit, to table: inout ChaosTable, _ options: ChaosOptions) {
        let findings = audit.findings
        let honest = audit.inputs.count { $0.kind == .purchase }
        let sandbox = audit.inputs.filter { $0.kind == .sandboxPurchase }
        let dead = ChaosSchedule.deadStretch(of: options.length)
        table.add()
        table.add("honest receipts", "\(honest)\(Self.waits(audit).map { ", \($0)" } ?? "")")
        table.add(
            "sandbox receipts settled",
            "\(sandbox.count { $0.outcomes > 0 }) of \(sandbox.count), "
                + "the sandbox dead for \((dead.upperBound - dead.lowerBound).shown)"
        )
        let honestlyParked = audit.tickets.keys.count { audit.inputs[$0 - 1].kind == .purchase }
        table.add(
            "receipts parked meanwhile",
            "\(audit.tickets.count), \(honestlyParked) of honest users, \(findings.count(.parked)) never taken back"
        )
        Self.addJudgement(of: audit, about: "receipts", to: &table)
    }

    /// Adds the numbers of the push events, and of the invented messages beside them.
    private static func add(pushes audit: ChaosAudit, to table: inout ChaosTable) {
        let findings = audit.findings
        let honest = audit.inputs.count { $0.kind == .pushEvent }
        table.add()
        table.add("honest push events", "\(honest)\(Self.waits(audit).map { ", \($0)" } ?? "")")
        let rejected = findings.fates[Outcome.Fate.rejected.rawValue] ?? 0
        table.add("invented messages", "\(audit.inputs.count - honest), \(rejected) rejected")
        Self.addJudgement(of: audit, about: "push events", to: &table)
    }

    /// Adds the rows that the inputs beside the activations have.
    private static func addJudgement(of audit: ChaosAudit, about inputs: String, to table: inout ChaosTable) {
        let count = { (matters: [ChaosFindings.Matter]) in
            "\(matters.reduce(0) { $0 + audit.findings.count($1) })"
        }
        table.add("\(inputs) lost", count([.lost, .undelivered]))
        table.add("duplicated outcomes, \(inputs)", count([.repeatedOutcome]))
        table.add("wrong fates, \(inputs)", count([.wrongFate, .riddle]))
        table.add("dead letters, \(inputs)", "\(audit.findings.letters)")
        table.add("order violations, \(inputs)", count([.outcomeOutOfOrder, .misordered]))
    }

    /// The waiting times of honest records; nil if there were none.
    private static func waits(_ audit: ChaosAudit) -> String? {
        guard let median = audit.wait(at: 0.5), let late = audit.wait(at: 0.99),
            let longest = audit.waits.last
        else { return nil }
        return "median \(Self.text(median)), p99 \(Self.text(late)), longest \(Self.text(longest)); "
            + "the bound is \(audit.bound.shown)"
    }

    private static func text(_ milliseconds: Int64) -> String { Duration.milliseconds(milliseconds).shown }

    private static func sorts(_ audit: ChaosAudit) -> String {
        InputKind.Sort.allCases.map { sort in
            "\(audit.inputs.count { $0.kind.sort == sort }) \(sort.rawValue)"
        }.joined(separator: ", ")
    }

    private static func fates(_ findings: ChaosFindings) -> String {
        findings.fates.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
    }

    private static func takeovers(_ takeovers: Takeovers) -> String {
        guard let median = takeovers.median, let longest = takeovers.longest else { return "not measured" }
        return
            "median \(Duration.milliseconds(median).shown), longest \(Duration.milliseconds(longest).shown), "
            + "\(takeovers.waits.count) partitions"
    }
}
