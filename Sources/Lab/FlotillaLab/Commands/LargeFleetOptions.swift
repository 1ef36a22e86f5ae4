import ArgumentParser
import Simulation
import Terminal
import WorkerKit

/// `flotilla-lab simulate --large-fleet`: shows how many workers and partitions fare together.
struct LargeFleetOptions: ParsableArguments {
    @Flag(
        name: .customLong("large-fleet"),
        help: """
            Have 100 workers share 1,000 partitions under an even load, kill one of them and restart ten, and say how long \
            records take, how often the fleet commits, and what a commit carries; exit 1 if a goal is missed.
            """
    )
    var isWanted = false

    @Option(help: "With --large-fleet: the number of workers.")
    var workers: Int?

    @Option(help: "With --large-fleet: the number of partitions.")
    var partitions: Int?

    @Option(
        name: .customLong("per-second"),
        help: "With --large-fleet: the records per second of the whole fleet."
    )
    var perSecond: Int?

    func validate() throws {
        let sizes = [self.workers, self.partitions, self.perSecond]
        guard self.isWanted || sizes.allSatisfy({ $0 == nil }) else {
            throw ValidationError("--workers, --partitions and --per-second need --large-fleet.")
        }
        guard (12...1_000).contains(self.workers ?? 12), (1...20_000).contains(self.partitions ?? 1),
            (1...100_000).contains(self.perSecond ?? 1)
        else {
            throw ValidationError(
                "A large fleet has 12 to 1000 workers, 1 to 20000 partitions and 1 to 100000 records a second."
            )
        }
    }

    func carryOut(_ delivery: EngineSettings.Delivery?) throws {
        var plan = LargeFleetPlan()
        plan.workers = self.workers ?? plan.workers
        plan.partitions = self.partitions ?? plan.partitions
        plan.perSecond = self.perSecond ?? plan.perSecond
        plan.delivery = delivery ?? plan.delivery
        let report = try LargeFleet(plan).run()
        try Console.show(report.lines, misses: report.misses)
    }
}
