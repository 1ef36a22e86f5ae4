import ArgumentParser
import DeadLetters
import Operations
import Terminal

/// `dead-letters list`: letters, one line each.
struct ListCommand: WaitingCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Dead letters, one line each, the newest first."
    )

    @OptionGroup var options: DeskOptions
    @OptionGroup var filters: FilterOptions
    @OptionGroup var limit: LimitOption

    func carryOut(until wish: StopWish) throws {
        let now = Timestamp.now.millisecondsSince1970
        let letters = try self.options.desk().letters(
            self.filters.filter(now: now),
            newestFirst: true,
            limit: self.limit.lines()
        )
        if self.options.json { return try JSONDocument.print(letters.map(LetterForm.init)) }
        guard !letters.isEmpty else {
            Console.line("No dead letters.")
            throw ExitCode.nothingMatches
        }
        var table = TextTable([
            ("id", .left), ("age", .right), ("state", .left), ("worker", .left), ("reason", .left),
            ("attempts", .right), ("replays", .right), ("key", .left), ("record", .left),
        ])
        for letter in letters {
            table.add([
                "\(letter.id)", Words.age(letter.at, now: now), letter.state.word, letter.group.worker,
                letter.group.reason, letter.attempts.map(String.init) ?? "", "\(letter.replays)",
                letter.keyMark ?? "", letter.source?.description ?? "",
            ])
        }
        for line in table.lines { Console.line(line) }
    }
}

/// A letter as JSON, without anything personal.
struct LetterForm: Encodable {
    var id: String
    var position: String
    var group: String
    var worker: String
    var `class`: String
    var reason: String
    var state: String
    var at: String
    var firstFailedAt: String?
    var key: String?
    var record: String?
    var attempts: Int?
    var upstreamStatus: Int?
    var valueBytes: Int?
    var replays: Int
    var replayable: String?

    init(_ view: LetterView) {
        self.id = "\(view.id)"
        self.position = "\(view.position)"
        self.group = view.mark
        self.worker = view.group.worker
        self.class = view.group.kind
        self.reason = view.group.reason
        self.state = view.state.word
        self.at = Words.time(view.at)
        self.firstFailedAt = view.first.map(Words.time)
        self.key = view.keyMark
        self.record = view.source?.description
        self.attempts = view.attempts
        self.upstreamStatus = view.status
        self.valueBytes = view.bytes
        self.replays = view.replays
        self.replayable = view.replayable
    }
}
