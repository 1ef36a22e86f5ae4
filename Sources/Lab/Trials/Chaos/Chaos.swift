import Harness
import Kafka
package import Terminal
import UpstreamHTTP
import UpstreamSimulator
import WorkerKit

/// A complete chaos run, from the first line of output to the exit code.
package final class Chaos {
    private let options: ChaosOptions
    private let wish: StopWish

    package init(_ options: ChaosOptions, _ wish: StopWish) {
        self.options = options
        self.wish = wish
    }

    /// Runs to the end.
    ///
    /// - Returns: the exit code: 0 if every promise held, 1 if one was broken or the run failed, 130 if the
    ///   user stopped the run.
    package func run() -> Int32 {
        Harness.show("flotilla-lab chaos", self.wish) { harness in
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            // No child process may survive, however the run ends.
            if self.options.hasRoutes {
                let processes = try RouteProcesses(self.options, on: harness, in: folder)
                defer { processes.cluster.stop() }
                defer { harness.dismiss(harness.remaining) }
                return try self.run(on: harness, processes)
            }
            let processes = try ChaosProcesses(self.options, on: harness, in: folder)
            defer { processes.cluster.stop() }
            defer { harness.dismiss(harness.remaining) }
            return try self.run(on: harness, processes)
        }
    }

    private func schedule(on harness: Harness) -> ChaosSchedule {
        let schedule = ChaosSchedule(
            seed: self.options.seed,
            length: self.options.length,
            workers: self.options.workers,
            hasOwnBroker: self.options.brokers == nil,
            hasAdversary: self.options.hasAdversary
        )
        let delivery = self.options.delivery.rawValue
        harness.screen.line(
            "chaos with seed \(self.options.seed), \(delivery), \(schedule.faults.count) faults",
            .bold
        )
        harness.end(by: .now + .seconds(60))
        return schedule
    }

    private func run(on harness: Harness, _ processes: ChaosProcesses) throws -> Int32 {
        let schedule = self.schedule(on: harness)
        try processes.start()
        let run = try ChaosRun(schedule, processes, on: harness)
        try run.run()
        let summary = try run.conclude()
        return self.verdict(summary.lines, summary.objections, on: harness)
    }

    private func run(on harness: Harness, _ processes: RouteProcesses) throws -> Int32 {
        let schedule = self.schedule(on: harness)
        try processes.start()
        let run = try RouteRun(schedule, processes, on: harness)
        try run.run()
        let summary = try run.conclude()
        return self.verdict(summary.lines, summary.objections, on: harness)
    }

    private func verdict(_ lines: [String], _ objections: [String], on harness: Harness) -> Int32 {
        for line in lines { harness.screen.line(line) }
        guard !objections.isEmpty else {
            harness.screen.line("Clean.", .green)
            return 0
        }
        for objection in objections { harness.screen.line("  \(objection)", .red) }
        harness.screen.line("Broken: \(objections.count) objections, seed \(self.options.seed).", .red)
        return 1
    }
}
