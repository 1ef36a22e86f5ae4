import Foundation

/// An act on its way, a turn at a time, so that others can go on meanwhile.
final class Performance {
    let player: Player
    private let stage: Stage
    private let playbill: Playbill
    private var scene: RunningScene?
    private(set) var isOver = false
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
        guard let next = self.player.act.nextScene(now: Self.now) else {
            self.isOver = true
            return
        }
        self.scene = try RunningScene(next, of: self.player, on: self.stage, self.playbill)
    }

    /// How far it is, in a few words.
    var status: String {
        let name = self.player.act.name
        guard let scene else { return self.isOver ? "\(name) done" : name }
        return "\(name) \(scene.settled) of \(scene.count)"
    }

    private static var now: Int64 { Int64(Date.now.timeIntervalSince1970 * 1_000) }
}
