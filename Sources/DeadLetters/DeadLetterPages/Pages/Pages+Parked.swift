import DeadLetters
import WebPages
import WireFormats

extension Pages {
    /// Shows the records that are parked, and what they wait for.
    func parked(_ visit: Visit) async throws -> PageAnswer {
        let list = try await self.desk.perform { try $0.parked() }
        let model = ParkedModel(
            frame: self.frame(
                "Parked records",
                visit,
                at: "/parked",
                command: TerminalCommand.text(["parked"])
            ),
            list,
            now: visit.now
        )
        return .page(try self.templates.render(model, with: .parked))
    }
}

/// The values of the template `parked`.
struct ParkedModel: Sendable {
    /// The records of a topic that wait for the same thing.
    struct Line: Sendable {
        var topic: String
        var condition: String
        var count: String
        var partitions: String
        var since: String
        var oldest: String

        init(_ view: ParkedView, now: Int64) {
            self.topic = SafeText.line(view.topic, limit: 250)
            self.condition = SafeText.line(view.condition, limit: 300)
            self.count = Shown.number(view.count)
            self.partitions = Shown.number(view.partitions)
            self.since = view.parkedSince.map { Shown.ago($0, now: now) } ?? ""
            self.oldest = view.oldest.map { Shown.ago($0, now: now) } ?? ""
        }
    }

    var frame: Frame
    var summary: String
    var notes: [String]
    var rows: [Line]

    init(frame: Frame, _ list: ParkedList, now: Int64) {
        self.frame = frame
        self.notes = list.notes
        self.rows = list.views.map { Line($0, now: now) }
        self.summary =
            list.count == 0
            ? "Nothing is parked."
            : "\(Shown.count(list.count, "record")) will come back when what they wait for works again."
    }
}
