import ArgumentParser
import DeadLetters
import Operations
import Terminal

/// `dead-letters show`: shows everything about one letter, masked unless `--reveal` is given.
struct ShowCommand: WaitingCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Everything about one dead letter: what it says, what it means, what to do.",
        discussion: """
            Personal data and secrets are masked by a keyed hash, so that two values can be compared that nobody sees. \
            --reveal shows them, after your name and reason are in the audit trail.
            """
    )

    @Argument(help: "The letter's id, the beginning of one, or topic/partition/offset.")
    var id: String

    @OptionGroup var options: DeskOptions

    @Flag(help: "Show what is masked, and the raw bytes.")
    var reveal = false

    @Option(help: "Why; it is written to the audit trail.")
    var because: String?

    func validate() throws {
        guard self.reveal == (self.because != nil) else {
            throw ValidationError("--reveal needs --because \"…\", and --because needs --reveal.")
        }
        try Because.check(self.because)
    }

    func carryOut(until wish: StopWish) throws {
        let desk = try self.options.desk()
        let detail = try desk.detail(of: desk.letter(named: self.id))
        if let because {
            try desk.recordReveal(of: [detail.view.id], because: because, selection: "show \(detail.view.id)")
        }
        let masked = MaskedLetter(detail: detail, mark: desk.mark, isRevealed: self.reveal)
        if self.options.json { return try JSONDocument.print(LetterDetailForm(masked)) }
        for line in LetterPage(masked, now: Timestamp.now.millisecondsSince1970).lines { Console.line(line) }
    }
}
