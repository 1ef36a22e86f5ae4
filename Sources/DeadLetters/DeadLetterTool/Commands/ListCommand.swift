import ArgumentParser
import DeadLetters
import Operations
import Terminal

/// `dead-letters list`: shows letters, one line each, the open ones first and the newest of them first.
struct ListCommand: WaitingCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Dead letters, one line each, open ones first, then the newest first."
    )

    @OptionGroup var options: DeskOptions
    @OptionGroup var filters: FilterOptions
    @OptionGroup var limit: LimitOption

    func carryOut(until wish: StopWish) throws {
        let now = Timestamp.now.millisecondsSince1970
        let letters = try self.options.desk().letters(
            self.filters.filter(now: now),
            by: .openAndNewest,
            limit: self.limit.lines()
        )
        if self.options.json { return try JSONDocument.print(letters.map(LetterForm.init)) }
        guard !letters.isEmpty else {
            Console.line("No dead letters.")
            throw ExitCode.nothingMatches
        }
        var table = TextTable(
            [
                ("id", .left), ("age", .right), ("state", .left), ("worker", .left), ("reason", .left),
                ("attempts", .right), ("replays", .right), ("key", .left), ("record", .left),
            ],
            givingWay: ["record", "key", "attempts", "replays", "worker"]
        )
        for letter in letters {
            table.add(
                [
                    "\(letter.id)", Words.age(letter.at, now: now), letter.state.word, letter.group.worker,
                    letter.group.cause, letter.attempts.map(String.init) ?? "", "\(letter.allReplays)",
                    letter.keyMark ?? "", letter.source?.description ?? "",
                ],
                inks: ["state": Self.ink(of: letter.state)]
            )
        }
        for line in table.lines(on: Display()) { Console.line(line) }
    }

    private static func ink(of state: LetterState) -> Ink {
        switch state {
        case .open: .bold
        case .succeeded: .green
        case .deadAgain, .rejected, .expired: .red
        case .replayed: .yellow
        case .discarded: .dim
        }
    }
}
