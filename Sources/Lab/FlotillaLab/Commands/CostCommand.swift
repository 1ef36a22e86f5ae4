import ArgumentParser
import Harness
import Terminal
import Trials

/// `flotilla-lab cost`: compares the cost of exactly-once delivery with that of at-least-once delivery.
struct CostCommand: WaitingCommand {
    static let configuration = CommandConfiguration(
        commandName: "cost",
        abstract: "Measure what exactly-once delivery costs over at-least-once, on this machine.",
        discussion: """
            Both deliveries settle the same number of records in alternation, each time on a fresh embedded broker and \
            upstream. The measure is of the worker's process alone, from its first record in hand to its last one \
            settled. Build with 'swift build -c release' first; only the ratios mean something on another machine.
            """
    )

    @Option(help: "Records of one run.")
    var records = 50_000

    @Option(help: "Runs of each delivery.")
    var rounds = 3

    @Option(help: "Calls in flight.")
    var concurrency = 500

    @Option(help: ArgumentHelp("How long the upstream takes to answer.", valueName: "ms"))
    var latency = 20

    func validate() throws {
        guard (1...CostOptions.recordsLimit).contains(self.records) else {
            throw ValidationError("--records is from 1 to \(CostOptions.recordsLimit).")
        }
        guard (1...100).contains(self.rounds) else { throw ValidationError("--rounds is from 1 to 100.") }
        guard (1...10_000).contains(self.concurrency) else {
            throw ValidationError("--concurrency is from 1 to 10000.")
        }
        guard (0...1_000).contains(self.latency) else {
            throw ValidationError("--latency is from 0 to 1000 ms.")
        }
    }

    func carryOut(until wish: StopWish) throws {
        let options = CostOptions(
            records: self.records,
            rounds: self.rounds,
            concurrency: self.concurrency,
            latencyMilliseconds: self.latency
        )
        let code = Cost(options, wish).run()
        guard code == 0 else { throw ExitCode(code) }
    }
}
