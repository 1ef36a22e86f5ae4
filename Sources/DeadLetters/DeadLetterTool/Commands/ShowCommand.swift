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

    @OptionGroup var sight: RevealOptions

    func carryOut(until wish: StopWish) throws {
        let desk = try self.options.desk()
        let detail = try desk.detail(of: desk.letter(named: self.id))
        if let because = self.sight.because {
            try desk.recordReveal(of: [detail.view.id], because: because, selection: "show \(detail.view.id)")
        }
        let masked = MaskedLetter(detail: detail, mask: desk.mask, isRevealed: self.sight.reveal)
        if self.options.json { return try JSONDocument.print(LetterDetailForm(masked)) }
        for line in LetterPage(masked, now: Timestamp.now.millisecondsSince1970).lines { Console.line(line) }
    }
}
