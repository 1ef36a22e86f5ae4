import Harness
import WorkerKit

/// The table at the end of a chaos run with uploads, with the objections.
struct RouteSummary {
    let lines: [String]
    let objections: [String]

    init(
        _ options: ChaosOptions,
        _ audit: RouteAudit,
        load: RouteLoad,
        topics: RouteEvidence,
        tally: ChaosTally
    ) {
        self.objections = audit.objections
        var table = ChaosTable()
        table.addRun(options)
        table.add("lives of gateway, intakes and workers", "\(tally.lives)")
        table.addFaults(tally, of: "Marketing API")
        table.add()
        let kinds = RouteInput.allCases.map { kind in "\(audit.inputs.count { $0 == kind }) \(kind)" }
        table.add("conversions", "\(audit.inputs.count): \(kinds.joined(separator: ", "))")
        table.add(
            "uploads posted",
            "\(load.requests), \(load.failures) without 200, \(audit.repeatedUploads) written again"
        )
        table.add("lost", "\(audit.lost)")
        table.add("events published", "\(topics.events.count), \(audit.repeatedEvents) more than once")
        table.add("duplicates that the intake named", "\(topics.refusals["activation.duplicate"] ?? 0)")
        table.add(
            "at the Marketing API by outer_action_id",
            "\(audit.conversions), \(audit.wrongConversions) not exactly once"
        )
        table.add("recognised repeats there", "\(audit.repeatedReports)")
        table.add("duplicated outcomes", "\(audit.repeatedOutcomes)")
        table.add("dead letters", "\(topics.letters)")
        table.add("parked", "\(topics.tickets.count)")
        table.add()
        table.addEnd(tally)
        self.lines = [""] + table.lines + [""]
    }
}
