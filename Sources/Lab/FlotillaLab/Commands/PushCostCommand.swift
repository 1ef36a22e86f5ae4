import ArgumentParser
import Harness
import Terminal
import Trials

/// `flotilla-lab push-cost`: measures the cost of a push event for the worker, and the memory that the worker keeps
/// for it.
struct PushCostCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "push-cost",
        abstract:
            "Measure what counting a push event costs, and what is held for each (message, device) pair.",
        discussion: """
            In one process, on one thread, without Kafka: events from the bytes of a protobuf record to the bytes of \
            their result, half of them of pairs that are held already. Build with 'swift build -c release' first.
            """
    )

    @Option(parsing: .upToNextOption, help: "Pairs that are held.")
    var pairs = [100_000, 1_000_000, 10_000_000]

    func validate() throws {
        guard self.pairs.allSatisfy({ (1...100_000_000).contains($0) }) else {
            throw ValidationError("--pairs are from 1 to 100000000.")
        }
    }

    func run() {
        Console.line("pairs held  ns/event  of that counting  bytes/pair  changelog bytes/pair  restored in")
        for pairs in self.pairs {
            let line = PushCost().measure(pairs: pairs)
            let cells = [
                "\(pairs)".leftPadded(to: 10), Self.text(line.nanosecondsPerEvent, 0).leftPadded(to: 10),
                Self.text(line.nanosecondsOfCounting, 0).leftPadded(to: 18),
                Self.text(line.bytesPerPair, 1).leftPadded(to: 12),
                Self.text(line.changelogBytesPerPair, 1).leftPadded(to: 22),
                "\(Self.text(line.restoreSeconds, 2)) s".leftPadded(to: 13),
            ]
            Console.line(cells.joined())
        }
    }

    private static func text(_ number: Double, _ digits: Int) -> String {
        let scale = digits == 0 ? 1.0 : digits == 1 ? 10.0 : 100.0
        let rounded = (number * scale).rounded() / scale
        return digits == 0 ? "\(Int(rounded))" : "\(rounded)"
    }
}

extension String {
    fileprivate func leftPadded(to width: Int) -> String {
        String(repeating: " ", count: max(0, width - self.count)) + self
    }
}
