import DeadLetters
import WebPages
import WireFormats

extension Pages {
    /// Writes a note on a group, and shows the group again.
    func note(_ visit: Visit, _ group: String) async throws -> PageAnswer {
        let text = visit.request.form["note"] ?? ""
        return try await self.say(visit, group, doing: { try $0.note(text, on: group) })
    }

    /// Says who looks after a group, and shows the group again. An empty name stands for nobody.
    func assign(_ visit: Visit, _ group: String) async throws -> PageAnswer {
        let name = visit.request.form["assignee"] ?? ""
        return try await self.say(
            visit,
            group,
            doing: { try $0.assign(group, to: name.isEmpty ? nil : name) }
        )
    }

    private func say(_ visit: Visit, _ group: String, doing body: @escaping @Sendable (Desk) throws -> Void)
        async throws
        -> PageAnswer
    {
        let user = visit.visitor.name
        let back = "/letters?group=" + FormFields.encode(group)
        do {
            try await self.desk.perform { desk in
                desk.user = user
                try body(desk)
            }
        } catch let error as Desk.UnfitText {
            return self.message(
                visit,
                .badRequest,
                heading: "That cannot be written down",
                sentences: ["\(error)."],
                next: back,
                nextLabel: "Back to the group"
            )
        }
        return .redirect(to: back)
    }
}

/// The values of the template `notes`.
struct NotesModel: Sendable {
    /// A note in the list.
    struct Line: Sendable {
        var ago: String
        var time: String
        var machine: String
        var by: String
        var text: String
    }

    var group: String
    var assignee: String
    var assigned: String
    var hasNotes: Bool
    var notes: [Line]

    init(_ found: GroupNotes, on group: String, now: Int64) {
        let assignee = found.assignee.map { SafeText.line($0, limit: Desk.longestAssignee) }
        self.assigned = assignee.map { "\($0) looks after it." } ?? "It has nobody to look after it yet."
        self.hasNotes = !found.notes.isEmpty
        self.notes = found.notes.map {
            Line(
                ago: Shown.ago($0.at, now: now),
                time: Shown.time($0.at),
                machine: Shown.machineTime($0.at),
                by: SafeText.line($0.by, limit: 128),
                text: SafeText.line($0.text, limit: Desk.longestNote)
            )
        }
        self.group = group
        self.assignee = assignee ?? ""
    }
}
