import Kafka
import Terminal
import UpstreamHTTP
import UpstreamSimulator
import WorkerKit

/// A complete chaos run, from the first line of output to the exit code.
final class Chaos {
    private let options: ChaosOptions
    private let wish: StopWish

    init(_ options: ChaosOptions, _ wish: StopWish) {
        self.options = options
        self.wish = wish
    }

    /// Runs to the end.
    ///
    /// - Returns: the exit code: 0 if every promise held, 1 if one was broken or the run failed, 130 if the
    ///   user stopped the run.
    func run() -> Int32 {
        Stage.show("flotilla-lab chaos", self.wish) { stage in
            let folder = try TemporaryFolder()
            let cast: ChaosCast
            do {
                cast = try ChaosCast(self.options, on: stage, in: folder)
            } catch {
                folder.remove()
                throw error
            }
            defer { cast.leave() }
            // No child process may survive, however the run ends.
            defer { stage.dismiss(stage.remaining) }
            return try self.play(on: stage, cast)
        }
    }

    private func play(on stage: Stage, _ cast: ChaosCast) throws -> Int32 {
        let schedule = ChaosSchedule(
            seed: self.options.seed,
            length: self.options.length,
            workers: self.options.workers,
            hasOwnBroker: self.options.brokers == nil,
            hasSandbox: self.options.hasAdversary
        )
        let delivery = self.options.delivery.rawValue
        stage.screen.line(
            "chaos with seed \(self.options.seed), \(delivery), \(schedule.faults.count) faults",
            .bold
        )
        stage.end(by: .now + .seconds(60))
        try cast.enter()
        let run = try ChaosRun(schedule, cast, on: stage)
        try run.play()
        let summary = try run.conclude()
        for line in summary.lines { stage.screen.line(line) }
        let objections = summary.objections
        guard !objections.isEmpty else {
            stage.screen.line("Clean.", .green)
            return 0
        }
        for objection in objections { stage.screen.line("  \(objection)", .red) }
        stage.screen.line("Broken: \(objections.count) objections, seed \(self.options.seed).", .red)
        return 1
    }
}
