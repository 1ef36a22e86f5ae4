import Glibc

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
            defer { folder.remove(WorkerFile.names) }
            let stage = try Stage(self.wish)
            // Whatever happens on it, nobody is left behind.
            defer { stage.dismiss(stage.remaining) }
            return self.play(on: stage, in: folder)
        } catch {
            Console.complain("fleet demo: \(error)")
            return 1
        }
    }

    private func play(on stage: Stage, in folder: TemporaryFolder) -> Int32 {
        let screen = stage.screen
        let traffic = Traffic()
        var audit = Audit()
        do {
            stage.end(by: .now + Self.longest)
            let cast = try Cast(on: stage, traffic, in: folder)
            stage.attend(traffic)
            try cast.enter()
            try Scenes(stage: stage, cast: cast).playAll(&audit)
            if self.keeps { try cast.stay() }
            audit.workerExit = cast.dismissWorker()
            try audit.readAgain(stage, cast)
        } catch is Stage.Interrupted {
            screen.show("")
            screen.line("Interrupted: stopping everything that was started.", .yellow)
            return 130
        } catch {
            audit.misfortunes.append("\(error)")
        }
        screen.show("")
        return audit.conclude(stage, traffic.register) ? 0 : 1
    }
}
