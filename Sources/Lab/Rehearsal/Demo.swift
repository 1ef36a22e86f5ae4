import Glibc
import Harness
package import Terminal

/// The demo from the first line of output to the exit code.
package final class Demo {
    /// The time limit for starting all processes and settling all records.
    private static let longest = Duration.seconds(120)

    private let keeps: Bool
    private let wish: StopWish

    package init(keeps: Bool, _ wish: StopWish) {
        self.keeps = keeps
        self.wish = wish
    }

    /// Runs the demo.
    ///
    /// - Returns: the exit code: 0 if every result was as expected, 1 if not, 130 if the user stopped the
    ///   demo.
    package func run() -> Int32 {
        // If the reader of standard output exits, such as `head`, the next write fails, and the processes are
        // stopped. SIGPIPE would end this process before that.
        _ = signal(SIGPIPE, SIG_IGN)
        do {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            let harness = try Harness(self.wish)
            let processes = try DemoProcesses(try Self.demos(in: folder), on: harness, in: folder)
            // No child process may survive, however the demo ends.
            defer { processes.stop() }
            return self.run(processes, on: harness)
        } catch {
            Console.complain("flotilla-lab demo: \(error)")
            return 1
        }
    }

    /// The parts of the demo. The parts with an upstream are in the order in which `flotilla-lab upstreams` prints
    /// the URLs.
    private static func demos(in folder: TemporaryFolder) throws -> [any WorkerDemo] {
        [
            try ActivationDemo(in: folder), try DeviceCheckDemo(in: folder), try ReceiptDemo(in: folder),
            PushArrivalDemo(in: folder), try UploadDemo(in: folder),
        ]
    }

    private func run(_ processes: DemoProcesses, on harness: Harness) -> Int32 {
        let screen = harness.screen
        let output = DemoOutput(screen, processes.workers.map(\.demo.name))
        var inspection = Inspection(processes.workers, on: harness)
        do {
            harness.end(by: .now + Self.longest)
            for demoWorker in processes.workers { harness.attend(demoWorker.traffic) }
            try processes.start()
            try self.playAll(processes, on: harness, to: output, into: &inspection)
            try inspection.takeNumbers()
            Totals(inspection.audits).show(on: output)
            if self.keeps {
                inspection.expectOthers()
                try processes.stay()
            }
            inspection.note(processes.dismissWorkers())
            try inspection.readAgain()
        } catch is Harness.Interrupted {
            screen.show("")
            screen.line("Interrupted: stopping everything that was started.", .yellow)
            return 130
        } catch {
            inspection.misfortunes.append("\(error)")
        }
        screen.show("")
        return inspection.conclude(on: output) ? 0 : 1
    }

    /// Runs all parts side by side, until all are over.
    private func playAll(
        _ processes: DemoProcesses,
        on harness: Harness,
        to output: DemoOutput,
        into inspection: inout Inspection
    ) throws {
        let runningDemos = processes.workers.map { RunningDemo($0, on: harness, output) }
        let start = ContinuousClock.now
        while !runningDemos.allSatisfy(\.isOver) {
            try harness.turn()
            for runningDemo in runningDemos { try runningDemo.turn() }
            output.turn()
            let took = start.duration(to: .now).shown
            harness.screen.show("… \(took): \(runningDemos.map(\.status).joined(separator: " · "))")
        }
        harness.screen.show("")
        for (index, runningDemo) in runningDemos.enumerated() {
            inspection.audits[index].outage = runningDemo.outage
        }
    }
}
