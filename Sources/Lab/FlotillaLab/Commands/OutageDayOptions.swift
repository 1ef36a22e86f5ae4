import ArgumentParser
import Simulation
import Terminal
import WorkerKit

/// `flotilla-lab simulate --outage-day`: shows how an endpoint that is down for a day affects the other endpoint.
struct OutageDayOptions: ParsableArguments {
    @Flag(
        name: .customLong("outage-day"),
        help: """
            Have one endpoint down for 24 simulated hours with large records behind it, kill a worker in the middle, and \
            say how the other endpoint fares, what is in hand, and how long it takes afterwards; exit 1 if a goal is missed.
            """
    )
    var isWanted = false

    @Option(help: "With --outage-day: how many records of 80 KB wait for the endpoint that is down.")
    var records: Int?

    func validate() throws {
        guard self.isWanted || self.records == nil else {
            throw ValidationError("--records needs --outage-day.")
        }
        guard (1...400_000).contains(self.records ?? 1) else {
            throw ValidationError("--records is from 1 to 400000.")
        }
    }

    func carryOut(_ delivery: EngineSettings.Delivery?) throws {
        var plan = OutagePlan()
        plan.records = self.records ?? plan.records
        plan.delivery = delivery ?? plan.delivery
        let report = try OutageDay(plan).run()
        try Console.show(report.lines, misses: report.misses)
    }
}
