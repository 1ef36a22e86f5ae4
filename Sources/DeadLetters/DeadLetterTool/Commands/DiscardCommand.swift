import ArgumentParser
import DeadLetters
import Operations
import Terminal

/// `dead-letters discard`: puts letters aside for good.
struct DiscardCommand: WaitingCommand {
    static let configuration = CommandConfiguration(
        commandName: "discard",
        abstract: "Put dead letters aside for good, with a reason.",
        discussion: """
            They stay in their topic until the broker deletes them, are no longer open, and are not replayed without \
            --force.
            """
    )

    @Argument(help: "Ids of letters, beginnings of ids, or topic/partition/offset.")
    var ids: [String]

    @OptionGroup var options: DeskOptions

    @Option(help: "Why; for ledger and audit trail.")
    var because: String

    func validate() throws {
        guard !self.ids.isEmpty else { throw ValidationError("Name the letters.") }
        try Because.check(self.because)
    }

    func carryOut(until wish: StopWish) throws {
        let desk = try self.options.desk()
        let letters = try self.ids.map { try desk.letter(named: $0) }
        let report = try desk.discard(
            letters,
            because: self.because,
            selection: letters.map { "\($0.id)" }.joined(separator: " ")
        )
        if self.options.json {
            try JSONDocument.print(ReplayReportForm(report))
        } else {
            TerminalReplay.tell(report, "discarded")
        }
        try TerminalReplay.end(report)
    }
}
