import Foundation
import WorkerKit

/// The demo, scene by scene.
struct Scenes {
    let stage: Stage
    let cast: Cast

    func playAll(_ audit: inout Audit) throws {
        var make = Activations(topic: Roster.activation.topic, now: Self.now)
        try self.play("Good records, in every type and form", Specimens.good(&make))
        try self.play("Wrong records: dead letters, and no call", Specimens.malformed(&make))
        try self.play("A final no: by the worker's rules, or by GDT", Specimens.refused(&make))
        try self.play("Trouble on the way: try again when due", Specimens.retried(&make))
        let outage = Outage(stage: self.stage, cast: self.cast)
        audit.outage = try outage.play(Specimens.steady(Outage.records, &make))
        try audit.takeNumbers(self.stage, self.cast)
    }

    /// Publishes records, and shows each of them as it is settled.
    private func play(_ title: String, _ specimens: [Specimen]) throws {
        let screen = self.stage.screen
        screen.line()
        screen.line(title, .bold)
        screen.line("  \(Row.heading.text(width: screen.width - 2))", .dim)
        let first = self.cast.traffic.register.entries.count
        let all = first..<first + specimens.count
        try self.cast.traffic.publish(specimens)
        var shown: Set<Int> = []
        while shown.count < specimens.count {
            try self.stage.turn()
            let entries = self.cast.traffic.register.entries
            let settled = all.filter { !shown.contains($0) && entries[$0].settledAt != nil }
            for index in settled.sorted(by: { Self.isEarlier(entries[$0], entries[$1]) }) {
                shown.insert(index)
                self.show(entries[index])
            }
            screen.show(Self.waiting(all.filter { !shown.contains($0) }.map { entries[$0] }))
        }
        screen.show("")
    }

    private func show(_ entry: Register.Entry) {
        let screen = self.stage.screen
        let objections = entry.objections
        let mark = objections.isEmpty ? screen.paint("✓", .green) : screen.paint("✗", .red)
        let text = Row(entry, isAsExpected: objections.isEmpty).text(width: screen.width - 2)
        screen.line("\(mark) \(objections.isEmpty ? text : screen.paint(text, .red))")
        for objection in objections { screen.line("    it \(objection)", .red) }
    }

    private static func isEarlier(_ left: Register.Entry, _ right: Register.Entry) -> Bool {
        guard let first = left.settledAt, let second = right.settledAt else { return false }
        return first < second
    }

    private static func waiting(_ entries: [Register.Entry]) -> String {
        guard let first = entries.first else { return "" }
        let names = entries.map(\.specimen.title).joined(separator: " · ")
        return "… \(entries.count) under way since \(Row.text(first.sentAt.duration(to: .now))): \(names)"
    }

    private static var now: Int64 { Int64(Date.now.timeIntervalSince1970 * 1_000) }
}
