import Harness
package import Terminal
import WorkerKit

/// A comparison of the two deliveries: runs of both in alternation, and their measurements.
package final class Cost {
    /// The time limit of one run.
    private static let longestRun = Duration.seconds(600)

    private let options: CostOptions
    private let wish: StopWish

    package init(_ options: CostOptions, _ wish: StopWish) {
        self.options = options
        self.wish = wish
    }

    /// Runs all rounds.
    ///
    /// - Returns: the exit code: 0 if everything was measured, 1 if a run failed, 130 if the user stopped it.
    package func run() -> Int32 {
        Harness.show("flotilla-lab cost", self.wish) { harness in
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            try self.run(on: harness, try WorkerFile(in: folder))
            return 0
        }
    }

    private func run(on harness: Harness, _ file: WorkerFile) throws {
        let options = self.options
        harness.screen.line(
            "\(options.records) records, \(options.concurrency) calls in flight, answers after "
                + "\(options.latencyMilliseconds) ms, \(CostRun.partitions) partitions, embedded broker",
            .bold
        )
        var table = CostTable()
        for round in 1...options.rounds {
            // The order alternates, so that neither delivery always runs on the warmer machine.
            let order = EngineSettings.Delivery.allCases
            for delivery in round.isMultiple(of: 2) ? order.reversed() : order {
                harness.screen.show("… round \(round) of \(options.rounds), \(delivery.rawValue)")
                harness.end(by: .now + Self.longestRun)
                let run = CostRun(
                    options: options,
                    delivery: delivery,
                    harness: harness,
                    file: file,
                    wish: self.wish
                )
                let measure = try run.measure()
                table.add(measure, of: delivery)
                harness.screen.line(CostTable.line(delivery, measure))
            }
        }
        harness.screen.show("")
        for line in table.lines { harness.screen.line(line) }
    }
}
