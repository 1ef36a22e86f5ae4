import Foundation
import Harness
import Terminal

/// One worker's part of the demo while it runs. It advances turn by turn, so that the parts of all workers
/// run side by side.
final class RunningDemo {
    let demoWorker: DemoWorker
    private let harness: Harness
    private let output: DemoOutput
    private var step: RunningStep?
    private(set) var isOver = false
    private static let longestWait = Duration.seconds(40)
    /// The end of the wait for the worker's last statements; nil before that wait.
    private var lastWordLimit: ContinuousClock.Instant?
    /// The events of the outage, if there was one.
    private(set) var outage: Outage.Result?

    init(_ demoWorker: DemoWorker, on harness: Harness, _ output: DemoOutput) {
        self.demoWorker = demoWorker
        self.harness = harness
        self.output = output
    }

    /// Takes the next step that is possible now.
    func turn() throws {
        if let step {
            guard try step.turn() else { return }
            self.outage = step.outageResult ?? self.outage
            self.step = nil
        }
        guard let next = self.demoWorker.demo.nextStep(now: Self.now) else { return self.end() }
        self.step = try RunningStep(next, of: self.demoWorker, on: self.harness, self.output)
    }

    /// Waits until the worker has published its last statements, and shows them. After `longestWait` it goes
    /// on without them; the check then reports them as missing.
    private func end() {
        guard !self.isOver else { return }
        let limit = self.lastWordLimit ?? .now + Self.longestWait
        self.lastWordLimit = limit
        guard self.demoWorker.demo.hasAllStatements || .now > limit else { return }
        self.isOver = true
        let lines = self.demoWorker.demo.closingLines(width: self.output.width)
        guard let title = lines.first else { return }
        let page = self.output.page(of: self.demoWorker.demo.name)
        page.line("")
        page.line(title, .bold)
        for line in lines.dropFirst() { page.line(line) }
        page.complete()
    }

    /// The progress in a few words.
    var status: String {
        let name = self.demoWorker.demo.name
        guard let step else {
            return self.isOver ? "\(name) done" : self.lastWordLimit == nil ? name : "\(name) adds up"
        }
        return "\(name) \(step.settled) of \(step.count)"
    }

    private static var now: Int64 { Int64(Date.now.timeIntervalSince1970 * 1_000) }
}
