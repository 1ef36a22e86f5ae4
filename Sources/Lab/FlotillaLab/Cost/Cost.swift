import Terminal
import WorkerKit

/// A comparison of the two deliveries: runs of both in alternation, and their measurements.
final class Cost {
    /// The time limit of one run.
    private static let longestRun = Duration.seconds(600)

    private let options: CostOptions
    private let wish: StopWish

    init(_ options: CostOptions, _ wish: StopWish) {
        self.options = options
        self.wish = wish
    }

    /// Runs all rounds.
    ///
    /// - Returns: the exit code: 0 if everything was measured, 1 if a run failed, 130 if the user stopped it.
    func run() -> Int32 {
        Stage.show("flotilla-lab cost", self.wish) { stage in
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            try self.play(on: stage, try WorkerFile(in: folder))
            return 0
        }
    }

    private func play(on stage: Stage, _ file: WorkerFile) throws {
        let options = self.options
        stage.screen.line(
            "\(options.records) records, \(options.concurrency) calls in flight, answers after "
                + "\(options.latencyMilliseconds) ms, \(CostRun.partitions) partitions, embedded broker",
            .bold
        )
        var table = CostTable()
        for round in 1...options.rounds {
            // The order alternates, so that neither delivery always runs on the warmer machine.
            let order = EngineSettings.Delivery.allCases
            for delivery in round.isMultiple(of: 2) ? order.reversed() : order {
                stage.screen.show("… round \(round) of \(options.rounds), \(delivery.rawValue)")
                stage.end(by: .now + Self.longestRun)
                let run = CostRun(
                    options: options,
                    delivery: delivery,
                    stage: stage,
                    file: file,
                    wish: self.wish
                )
                let measure = try run.measure()
                table.add(measure, of: delivery)
                stage.screen.line(CostTable.line(delivery, measure))
            }
        }
        stage.screen.show("")
        for line in table.lines { stage.screen.line(line) }
    }
}
