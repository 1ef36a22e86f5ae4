import ArgumentParser
import Harness
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

    @Option(help: "With --outage-day: what the workers promise, at-least-once or exactly-once.")
    var delivery: EngineSettings.Delivery?

    func validate() throws {
        guard self.isWanted || self.records == nil && self.delivery == nil else {
            throw ValidationError("--records and --delivery need --outage-day.")
        }
        guard (1...400_000).contains(self.records ?? 1) else {
            throw ValidationError("--records is from 1 to 400000.")
        }
    }

    private var plan: OutagePlan {
        var plan = OutagePlan()
        plan.records = self.records ?? plan.records
        plan.delivery = self.delivery ?? plan.delivery
        return plan
    }

    func carryOut() throws {
        let report = try OutageDay(self.plan).run()
        report.lines.forEach(Console.line)
        guard !report.misses.isEmpty else { return Console.line("every goal is met") }
        for miss in report.misses { Console.line("missed: \(miss)") }
        throw ExitCode(1)
    }
}
