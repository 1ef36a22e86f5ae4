import Glibc
import Terminal

/// The demo from the first line of output to the exit code.
final class Demo {
    /// The time limit for starting all processes and settling all records.
    private static let longest = Duration.seconds(120)

    private let keeps: Bool
    private let wish: StopWish

    init(keeps: Bool, _ wish: StopWish) {
        self.keeps = keeps
        self.wish = wish
    }

    /// Runs the demo.
    ///
    /// - Returns: the exit code: 0 if every result was as expected, 1 if not, 130 if the user stopped the
    ///   demo.
    func run() -> Int32 {
        // If the reader of standard output exits, such as `head`, the next write fails, and the processes are
        // stopped. SIGPIPE would end this process before that.
        _ = signal(SIGPIPE, SIG_IGN)
        do {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            let stage = try Stage(self.wish)
            let cast = try Cast(try Self.acts(in: folder), on: stage, in: folder)
            // No child process may survive, however the demo ends.
            defer { cast.leave() }
            return self.play(cast, on: stage)
        } catch {
            Console.complain("flotilla-lab demo: \(error)")
            return 1
        }
    }

    /// The parts of the demo. The parts with an upstream are in the order in which `flotilla-lab upstreams` prints
    /// the URLs.
    private static func acts(in folder: TemporaryFolder) throws -> [any Act] {
        [
            try ActivationAct(in: folder), try DeviceCheckAct(in: folder), try ReceiptAct(in: folder),
            PushArrivalAct(in: folder),
        ]
    }

    private func play(_ cast: Cast, on stage: Stage) -> Int32 {
        let screen = stage.screen
        let playbill = Playbill(screen, cast.players.map(\.act.name))
        var inspection = Inspection(cast.players, on: stage)
        do {
            stage.end(by: .now + Self.longest)
            for player in cast.players { stage.attend(player.traffic) }
            try cast.enter()
            try self.playAll(cast, on: stage, playbill, &inspection)
            try inspection.takeNumbers()
            Totals(inspection.audits).show(on: playbill)
            if self.keeps {
                inspection.expectOthers()
                try cast.stay()
            }
            inspection.note(cast.dismissWorkers())
            try inspection.readAgain()
        } catch is Stage.Interrupted {
            screen.show("")
            screen.line("Interrupted: stopping everything that was started.", .yellow)
            return 130
        } catch {
            inspection.misfortunes.append("\(error)")
        }
        screen.show("")
        return inspection.conclude(on: playbill) ? 0 : 1
    }

    /// Runs all parts side by side, until all are over.
    private func playAll(
        _ cast: Cast,
        on stage: Stage,
        _ playbill: Playbill,
        _ inspection: inout Inspection
    ) throws {
        let performances = cast.players.map { Performance($0, on: stage, playbill) }
        let start = ContinuousClock.now
        while !performances.allSatisfy(\.isOver) {
            try stage.turn()
            for performance in performances { try performance.turn() }
            playbill.turn()
            let took = Row.text(start.duration(to: .now))
            stage.screen.show("… \(took): \(performances.map(\.status).joined(separator: " · "))")
        }
        stage.screen.show("")
        for (index, performance) in performances.enumerated() {
            inspection.audits[index].outage = performance.outage
        }
    }
}
