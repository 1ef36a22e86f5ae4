import Foundation

/// An act on its way, a turn at a time, so that others can go on meanwhile.
final class Performance {
    let player: Player
    private let stage: Stage
    private let playbill: Playbill
    private var scene: RunningScene?
    private(set) var isOver = false
    private static let longestWait = Duration.seconds(40)
    private var lastWordLimit: ContinuousClock.Instant?
    /// What became of the outage, if there was one.
    private(set) var outage: Outage.Result?

    init(_ player: Player, on stage: Stage, _ playbill: Playbill) {
        self.player = player
        self.stage = stage
        self.playbill = playbill
    }

    func turn() throws {
        if let scene {
            guard try scene.turn() else { return }
            self.outage = scene.outageResult ?? self.outage
            self.scene = nil
        }
        guard let next = self.player.act.nextScene(now: Self.now) else { return self.end() }
        self.scene = try RunningScene(next, of: self.player, on: self.stage, self.playbill)
    }

    /// Waits for what the worker still has to say, and shows it. What did not come by then the audit will miss.
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

    /// How far it is, in a few words.
    var status: String {
        let name = self.player.act.name
        guard let scene else {
            return self.isOver ? "\(name) done" : self.lastWordLimit == nil ? name : "\(name) adds up"
        }
        return "\(name) \(scene.settled) of \(scene.count)"
    }

    private static var now: Int64 { Int64(Date.now.timeIntervalSince1970 * 1_000) }
}
