import Glibc
import Terminal

/// The demo from the first line to the exit code.
final class Demo {
    private static let longest = Duration.seconds(120)

    private let keeps: Bool
    private let wish: StopWish

    init(keeps: Bool, _ wish: StopWish) {
        self.keeps = keeps
        self.wish = wish
    }

    /// - Returns: the exit code: 0 if everything came as it had to, 130 if it was not wanted to the end.
    func run() -> Int32 {
        // A reader that goes away, such as `head`, is noticed when a write fails; everybody is then sent home.
        _ = signal(SIGPIPE, SIG_IGN)
        do {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            let stage = try Stage(self.wish)
            let cast = try Cast(try Self.acts(in: folder), on: stage, in: folder)
            // Whatever happens on it, nobody is left behind.
            defer { cast.leave() }
            return self.play(cast, on: stage)
        } catch {
            Console.complain("fleet demo: \(error)")
            return 1
        }
    }

    /// Those that call somebody in the order in which `fleet upstreams` says where that is.
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

    /// Plays all acts side by side.
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
