import Terminal
import WorkerKit

/// Runs of both deliveries in alternation, and what they took.
final class Cost {
    /// One run must be over by then.
    private static let longestRun = Duration.seconds(600)

    private let options: CostOptions
    private let wish: StopWish

    init(_ options: CostOptions, _ wish: StopWish) {
        self.options = options
        self.wish = wish
    }

    /// - Returns: the exit code: 0 if all was measured, 130 if that was not wanted to its end.
    func run() -> Int32 {
        Stage.show("fleet cost", self.wish) { stage in
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
            // Neither has always the warmer machine.
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
