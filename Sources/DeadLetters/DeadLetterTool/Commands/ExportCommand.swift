import ArgumentParser
import DeadLetters
import Foundation
import Operations
import Terminal
import WireFormats

/// `dead-letters export`: writes letters as JSON lines or CSV for a spreadsheet or a script, masked unless `--reveal`
/// is given.
struct ExportCommand: WaitingCommand {
    enum Format: String, ExpressibleByArgument, CaseIterable { case jsonl, csv }

    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write dead letters as lines of JSON or as CSV, masked unless --reveal is given.",
        discussion:
            """
            The oldest first. A cell of CSV that a spreadsheet would take for a formula gets a ' before it. --reveal shows \
            what is masked, after your name, your reason and the filter are in the audit trail.
            """
    )

    @OptionGroup var options: DeskOptions
    @OptionGroup var filters: FilterOptions

    @Option(help: "jsonl or csv.")
    var format = Format.jsonl

    @Option(name: .customLong("max"), help: "Letters at most.")
    var maximum = 10_000

    @OptionGroup var sight: RevealOptions

    func validate() throws {
        guard (1...ReplayOptions.largestMaximum).contains(self.maximum) else {
            throw ValidationError("--max is from 1 to \(ReplayOptions.largestMaximum).")
        }
    }

    /// The number of letters that are fetched at a time.
    private static let chunk = 200

    func carryOut(until wish: StopWish) throws {
        let desk = try self.options.desk()
        let filter = self.filters.filter(now: Timestamp.now.millisecondsSince1970)
        let letters = try desk.letters(filter, limit: self.maximum + 1)
        if letters.count > self.maximum {
            Console.complain("Only the \(self.maximum) oldest; --max or filters give others.")
        }
        try desk.recordReveal(
            of: letters.prefix(self.maximum).map(\.id),
            as: self.sight.reveal ? .reveal : .export,
            because: self.sight.because ?? "masked",
            selection: self.sight.reveal ? "export \(self.filters.words)" : self.filters.words
        )
        if self.format == .csv { Console.line(CSV.line(Self.columns)) }
        var rest = letters.prefix(self.maximum)
        while !rest.isEmpty {
            guard wish.count == 0 else { throw ExitCode.interrupted }
            let views = Array(rest.prefix(Self.chunk))
            rest = rest.dropFirst(views.count)
            for detail in try desk.details(of: views) {
                let form = LetterDetailForm(
                    MaskedLetter(detail: detail, mask: desk.mask, isRevealed: self.sight.reveal)
                )
                let line =
                    self.format == .csv
                    ? CSV.line(Self.cells(form)) : try JSONDocument.text(form, isPretty: false)
                guard Console.write(Array("\(line)\n".utf8), to: 1) else { return }
            }
        }
    }

    /// The titles of the CSV columns, in the order of `cells`.
    private static let columns = [
        "id", "position", "group", "worker", "class", "reason", "state", "at", "first_failed_at", "key",
        "record",
        "attempts", "upstream_status", "value_bytes", "replays", "replayable", "message", "payload",
    ]

    /// Returns the CSV cells of a letter, in the order of `columns`.
    private static func cells(_ form: LetterDetailForm) -> [String] {
        let letter = form.letter
        return [
            letter.id, letter.position, letter.group, letter.worker, letter.class, letter.reason,
            letter.state,
            letter.at, letter.firstFailedAt ?? "", letter.key ?? "", letter.record ?? "",
            letter.attempts.map(String.init) ?? "", letter.upstreamStatus.map(String.init) ?? "",
            letter.valueBytes.map(String.init) ?? "", "\(letter.replays)", letter.replayable ?? "",
            form.message,
            form.payload.map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: " "),
        ]
    }
}
