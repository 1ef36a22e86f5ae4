import ArgumentParser
import Foundation
import Terminal
import Trials

/// `flotilla-lab upload-bench`: measures the cost of decoding uploads on one core, compared with a loop in C.
struct UploadBenchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "upload-bench",
        abstract: "Measure how fast uploads of GrowingIO's SDKs are decoded, beside a loop in C.",
        discussion: """
            The loop in C undoes XOR and compression and walks once over the fields of protobuf or the strings of \
            JSON; it checks no text and keeps nothing. All forms are measured in several rounds, in alternation, in \
            CPU time of this process; the fastest round of each counts. Build with 'swift build -c release' first; \
            only the ratios mean something on another machine.
            """
    )

    @Option(help: "Events in one upload.")
    var events = 50

    @Option(help: ArgumentHelp("How long each way is measured, all in all.", valueName: "ms"))
    var time = 1_000

    @Option(help: "Rounds of each way.")
    var rounds = 10

    func validate() throws {
        guard (1...500).contains(self.events) else { throw ValidationError("--events is from 1 to 500.") }
        guard (10...600_000).contains(self.time) else {
            throw ValidationError("--time is from 10 to 600000 ms.")
        }
        guard (1...100).contains(self.rounds) else { throw ValidationError("--rounds is from 1 to 100.") }
    }

    func run() async throws {
        try await self.complaining {
            let timer = WayTimer(time: self.time, rounds: self.rounds)
            let benchmarks = try UploadBenchmark.all(events: self.events)
            // All forms take part in every round, so that a slow time of the machine is nobody's alone.
            let times = try timer.times(of: benchmarks.flatMap { [$0.decode, $0.floor] })
            for (index, benchmark) in benchmarks.enumerated() {
                let (decode, floor) = (times[index * 2], times[index * 2 + 1])
                let name = benchmark.name.padding(toLength: 24, withPad: " ", startingAt: 0)
                let line = String(
                    format: "%8.0f uploads/s %8.1f µs   %.2f of the loop in C (%.1f µs)   medians: %.2f",
                    1_000_000 / decode.least,
                    decode.least,
                    floor.least / decode.least,
                    floor.least,
                    floor.median / decode.median
                )
                Console.line(name + line)
            }
        }
    }
}
