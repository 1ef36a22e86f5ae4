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
            let processes: ChaosProcesses
            do {
                processes = try ChaosProcesses(self.options, on: harness, in: folder)
            } catch {
                folder.remove()
                throw error
            }
            defer { processes.stop() }
            // No child process may survive, however the run ends.
            defer { harness.dismiss(harness.remaining) }
            return try self.run(on: harness, processes)
        }
    }

    private func run(on harness: Harness, _ processes: ChaosProcesses) throws -> Int32 {
        let schedule = ChaosSchedule(
            seed: self.options.seed,
            length: self.options.length,
            workers: self.options.workers,
            hasOwnBroker: self.options.brokers == nil,
            hasSandbox: self.options.hasAdversary
        )
        let delivery = self.options.delivery.rawValue
        harness.screen.line(
            "chaos with seed \(self.options.seed), \(delivery), \(schedule.faults.count) faults",
            .bold
        )
        harness.end(by: .now + .seconds(60))
        try processes.start()
        let run = try ChaosRun(schedule, processes, on: harness)
        try run.run()
        let summary = try run.conclude()
        for line in summary.lines { harness.screen.line(line) }
        let objections = summary.objections
        guard !objections.isEmpty else {
            harness.screen.line("Clean.", .green)
            return 0
        }
        for objection in objections { harness.screen.line("  \(objection)", .red) }
        harness.screen.line("Broken: \(objections.count) objections, seed \(self.options.seed).", .red)
        return 1
    }
}
