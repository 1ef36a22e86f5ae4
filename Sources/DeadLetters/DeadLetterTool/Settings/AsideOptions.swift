import ArgumentParser
import DeadLetters
import Operations
import Terminal
import WireFormats

/// The options of `dead-letters discard` and `dead-letters restore`.
struct AsideOptions: ParsableArguments {
    @Argument(help: "Ids of letters, beginnings of ids, or topic/partition/offset.")
    var ids: [String] = []

    @OptionGroup var options: DeskOptions
    @OptionGroup var filters: FilterOptions

    @Flag(help: "Do it; a filter without it only says which letters it chooses.")
    var go = false

    @Option(help: "Why; for ledger and audit trail.")
    var because: String?

    /// The number of letters of one command at most.
    private static let lettersLimit = 10_000
    /// The number of reasons that a dry run lists.
    private static let shownLimit = 10

    func validate() throws {
        guard self.ids.isEmpty == !self.filters.isEmpty else {
            throw ValidationError("Name letters, or choose them by --group or another filter.")
        }
        try Because.check(self.because)
        guard self.because != nil || !self.isReal else {
            throw ValidationError("Say why with --because \"…\".")
        }
    }

    /// Whether the action is done. Named letters are meant; a filter may choose more than its author thinks.
    private var isReal: Bool { self.go || !self.ids.isEmpty }

    /// Does the action, or shows the letters that it would be done on.
    ///
    /// - Throws: an `ExitCode` if there is no letter, or the action was not done on each.
    func carryOut(_ action: AsideAction) throws {
        let desk = try self.options.desk()
        let letters = try self.letters(for: action, at: desk)
        guard self.isReal else { return try self.show(letters, action) }
        let named = letters.map { "\($0.id)" }.joined(separator: " ")
        let report = try desk.carryOut(
            action,
            on: letters,
            because: self.because ?? "",
            selection: self.ids.isEmpty ? self.filters.words : named
        )
        if self.options.json {
            try JSONDocument.print(ReplayReportForm(report))
        } else {
            TerminalReplay.tell(report, action.participle)
        }
        try TerminalReplay.end(report)
    }

    private func letters(for action: AsideAction, at desk: Desk) throws -> [LetterView] {
        guard self.ids.isEmpty else { return try self.ids.map { try desk.letter(named: $0) } }
        let filter = self.filters.filter(now: Timestamp.now.millisecondsSince1970)
        let letters = try desk.letters(filter, for: action, limit: Self.lettersLimit + 1)
        guard letters.count <= Self.lettersLimit else {
            throw Complaint("more than \(Self.lettersLimit) letters: narrow them down first")
        }
        guard !letters.isEmpty else {
            if !self.options.json { Console.line("Nothing matches.") }
            throw ExitCode.nothingMatches
        }
        return letters
    }

    private func show(_ letters: [LetterView], _ action: AsideAction) throws {
        let reasons = Dictionary(letters.map { ($0.group.cause, 1) }, uniquingKeysWith: +)
            .sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        if self.options.json {
            let form = Form(letters: letters.count, reasons: Dictionary(uniqueKeysWithValues: reasons))
            return try JSONDocument.print(form)
        }
        Console.line("\(Words.count(letters.count, "letter")) would be \(action.participle):")
        for (reason, count) in reasons.prefix(Self.shownLimit) {
            Console.line("  \(count) because of \(SafeText.line(reason))")
        }
        if reasons.count > Self.shownLimit {
            Console.line("  … and \(Words.count(reasons.count - Self.shownLimit, "further reason"))")
        }
        Console.line("Nothing was done. Add --go and --because \"…\" to do it.")
    }

    /// The letters of a dry run as JSON.
    private struct Form: Encodable {
        var letters: Int
        var reasons: [String: Int]
    }
}
