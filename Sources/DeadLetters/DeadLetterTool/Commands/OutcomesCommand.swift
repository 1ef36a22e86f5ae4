import ArgumentParser
import DeadLetters
import Operations
import Terminal
import WireFormats

/// `dead-letters outcomes`: shows how replays have ended.
struct OutcomesCommand: WaitingCommand {
    static let configuration = CommandConfiguration(
        commandName: "outcomes",
        abstract: "How replays have ended, from the topics of results and of dead letters.",
        discussion: "Exit code 3 if a replay has died again, was rejected, has expired, or is still open."
    )

    @Argument(help: "A replay's mark, r-…; the latest ones without it.")
    var batch: String?

    @OptionGroup var options: DeskOptions
    @OptionGroup var limit: LimitOption

    @Option(help: "Wait so many seconds for what is still open.")
    var wait: Int?

    func validate() throws {
        guard self.wait == nil || self.batch != nil else {
            throw ValidationError("--wait needs a replay's mark.")
        }
        guard (0...86_400).contains(self.wait ?? 0) else { throw ValidationError("--wait is at most 86400.") }
    }

    func carryOut(until wish: StopWish) throws {
        let desk = try self.options.desk()
        let limit = self.limit.lines(usually: 20)
        let batches = try OutcomeWait(desk: desk, wish: wish)
            .batches(self.batch, limit: limit, for: .seconds(self.wait ?? 0)) { found in
                found.allSatisfy { $0.open == 0 }
            }
        let letters = try self.batch.map { try desk.index.replays(batch: $0, limit: limit) } ?? []
        if self.options.json {
            try JSONDocument.print(
                Form(batches: batches.map(BatchForm.init), replays: letters.map(ReplayForm.init))
            )
        } else {
            for batch in batches { Console.line(Self.sentence(batch)) }
            if batches.isEmpty { Console.line("Nothing has been replayed.") }
            for replay in letters where replay.state != .succeeded {
                let reason = replay.reason.map { " \(SafeText.line($0))" } ?? ""
                Console.line("  \(replay.letter) \(replay.state.word)\(reason)")
            }
        }
        guard !batches.isEmpty else { throw ExitCode.nothingMatches }
        guard batches.allSatisfy({ $0.total == $0.counts[.succeeded] }) else { throw ExitCode.inPart }
    }

    /// Returns a replay and its outcomes in one line.
    static func sentence(_ batch: BatchView) -> String {
        let others: [(LetterState, String)] = [
            (.rejected, "rejected"), (.expired, "expired"), (.discarded, "discarded"),
        ]
        var parts = [
            "\(batch.counts[.succeeded] ?? 0) succeeded", "\(batch.counts[.deadAgain] ?? 0) dead again",
        ]
        parts += others.compactMap { state, word in batch.counts[state].map { "\($0) \(word)" } }
        parts.append("\(batch.open) open")
        let because = batch.because.isEmpty ? "" : ", because \(SafeText.line(batch.because, limit: 120))"
        return
            "\(batch.batch)  \(Words.time(batch.at))  \(SafeText.line(batch.by)): \(batch.total) replayed: "
            + parts.joined(separator: ", ") + because
    }

    /// Replays and their letters as JSON.
    struct Form: Encodable {
        var batches: [BatchForm]
        var replays: [ReplayForm]
    }
}
