import ArgumentParser
import DeadLetters
import Terminal
import WireFormats

/// `dead-letters audit`: shows which user did what, when and why.
struct AuditCommand: WaitingCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit",
        abstract: "The audit trail: who did what, when and why; the latest first."
    )

    @OptionGroup var options: DeskOptions
    @OptionGroup var limit: LimitOption

    func carryOut(until wish: StopWish) throws {
        let entries = try self.options.desk().audit(limit: self.limit.lines())
        if self.options.json { return try JSONDocument.print(entries.map(Form.init)) }
        guard !entries.isEmpty else {
            Console.line("Nothing has been done.")
            throw ExitCode.nothingMatches
        }
        for entry in entries {
            let counts = entry.counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
            let because = entry.because.isEmpty ? "" : ", because \(SafeText.line(entry.because, limit: 200))"
            Console.line(
                "\(Words.time(entry.at))  \(SafeText.line(entry.by)): \(entry.action.rawValue) "
                    + "\(SafeText.line(entry.batch)) \(counts.joined(separator: ", "))\(because) "
                    + "[\(SafeText.line(entry.selection, limit: 200))]"
            )
        }
    }

    /// An entry of the audit trail as JSON.
    struct Form: Encodable {
        var action: String
        var by: String
        var at: String
        var because: String
        var batch: String
        var selection: String
        var counts: [String: Int]
        var letters: [String]

        init(_ entry: AuditEntry) {
            self.action = entry.action.rawValue
            self.by = entry.by
            self.at = Words.time(entry.at)
            self.because = entry.because
            self.batch = entry.batch
            self.selection = entry.selection
            self.counts = entry.counts
            self.letters = entry.letters.map(\.description)
        }
    }
}
