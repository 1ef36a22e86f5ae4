import Foundation

/// One worker's part of the demo while it runs. It advances turn by turn, so that the parts of all workers
/// run side by side.
final class Performance {
    let player: Player
    private let stage: Stage
    private let playbill: Playbill
    private var scene: RunningScene?
    private(set) var isOver = false
    private static let longestWait = Duration.seconds(40)
    /// The end of the wait for the worker's last statements; nil before that wait.
    private var lastWordLimit: ContinuousClock.Instant?
    /// The events of the outage, if there was one.
    private(set) var outage: Outage.Result?

    init(_ player: Player, on stage: Stage, _ playbill: Playbill) {
        self.player = player
        self.stage = stage
        self.playbill = playbill
    }

    /// Takes the next step that is possible now.
    func turn() throws {
        if let scene {
            guard try scene.turn() else { return }
            self.outage = scene.outageResult ?? self.outage
            self.scene = nil
        }
        guard let next = self.player.act.nextScene(now: Self.now) else { return self.end() }
        self.scene = try RunningScene(next, of: self.player, on: self.stage, self.playbill)
    }

    /// Waits until the worker has published its last statements, and shows them. After `longestWait` it goes
    /// on without them; the check then reports them as missing.
    private func end() {
        guard !self.isOver else { return }
        let limit = self.lastWordLimit ?? .now + Self.longestWait
        self.lastWordLimit = limit
        guard self.player.act.hasHeardAll || .now > limit else { return }
        self.isOver = true
        let lines = self.player.act.epilogue(width: self.playbill.width)
        guard let title = lines.first else { return }
        let page = self.playbill.page(of: self.player.act.name)
        page.line("")
        page.line(title, .bold)
        for line in lines.dropFirst() { page.line(line) }
        page.complete()
    }

    /// The progress in a few words.
    var status: String {
        let name = self.player.act.name
        guard let scene else {
            return self.isOver ? "\(name) done" : self.lastWordLimit == nil ? name : "\(name) adds up"
        }
        return "\(name) \(scene.settled) of \(scene.count)"
    }

    private static var now: Int64 { Int64(Date.now.timeIntervalSince1970 * 1_000) }
}
