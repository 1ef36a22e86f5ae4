import ArgumentParser
import DeadLetters
import Operations
import Terminal
import WireFormats

/// `dead-letters note`: writes a note on a group, or shows the notes that it has.
struct NoteCommand: WaitingCommand {
    static let configuration = CommandConfiguration(
        commandName: "note",
        abstract: "Write a note on a group of dead letters, or show its notes.",
        discussion: """
            A note is an entry of the audit trail with your name: everybody sees it, and nobody can take it back. \
            Without a text, the notes are shown, the latest first.
            """
    )

    @Argument(help: "The group, such as g-0123456789.")
    var group: String

    @Argument(help: "The note, of at most 1,000 bytes.")
    var text: String?

    @OptionGroup var options: DeskOptions

    func carryOut(until wish: StopWish) throws {
        let desk = try self.options.desk()
        if let text { try desk.note(text, on: self.group) }
        let found = try desk.index.notes(on: self.group)
        if self.options.json { return try JSONDocument.print(Form(self.group, found)) }
        if let assignee = found.assignee {
            Console.line("\(SafeText.line(assignee)) looks after this group.")
        }
        for note in found.notes {
            Console.line(
                "\(Words.time(note.at))  \(SafeText.line(note.by)): \(SafeText.line(note.text, limit: 1_000))"
            )
        }
        guard found.notes.isEmpty else { return }
        Console.line("No notes.")
        throw ExitCode.nothingMatches
    }

    /// The notes on a group as JSON.
    struct Form: Encodable {
        /// One note.
        struct Note: Encodable {
            var at: String
            var by: String
            var text: String
        }

        var group: String
        var assignee: String?
        var notes: [Note]

        init(_ group: String, _ found: GroupNotes) {
            self.group = group
            self.assignee = found.assignee
            self.notes = found.notes.map { Note(at: Words.time($0.at), by: $0.by, text: $0.text) }
        }
    }
}
