import ArgumentParser
import DeadLetters
import Glibc
import Terminal
import WireFormats

/// Runs a replay at a terminal, and tells its result as text or JSON and by the exit code.
struct TerminalReplay {
    let desk: Desk
    let isJSON: Bool
    let wish: StopWish

    /// Replays the letters of a plan.
    ///
    /// - Throws: as `Desk.replay`; an `ExitCode` if not all letters were replayed.
    func run(_ plan: ReplayPlan, _ options: ReplayOptions, as action: AuditEntry.Action = .replay) throws {
        let batch = Desk.newBatch()
        let isWatched = !self.isJSON && isatty(STDERR_FILENO) == 1
        if !self.isJSON { Console.complain("\(batch): Ctrl-C stops between two records.") }
        let report = try self.desk.replay(
            plan,
            options,
            as: action,
            batch: batch,
            isStopped: { self.wish.count > 0 },
            progress: { report in
                guard isWatched else { return }
                Console.write(
                    Array("\rReplayed \(report.done) of \(report.planned) ".utf8),
                    to: STDERR_FILENO
                )
            }
        )
        if isWatched { Console.write(Array("\r\u{1B}[K".utf8), to: STDERR_FILENO) }
        if self.isJSON {
            try JSONDocument.print(ReplayReportForm(report))
        } else {
            self.tell(report, "replayed")
        }
        try Self.end(report)
    }

    /// Prints the result of a replay or of a discard.
    func tell(_ report: ReplayReport, _ word: String) {
        Console.line("\(report.batch): \(report.done) of \(Words.count(report.planned, "letter")) \(word).")
        for (refusal, count) in report.skipped.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            Console.line("Not \(Words.count(count, "letter")): \(refusal.sentence).")
        }
        switch report.interruption {
        case .asked?:
            Console.line("Stopped. \(Words.count(report.left, "letter")) left: the same command goes on.")
        case .takenOver?:
            Console.line(
                "Somebody else has begun to replay or discard. \(Words.count(report.left, "letter")) left: look again, then the same command goes on."
            )
        case .failed(let reason)?:
            Console.line(
                "The cluster did not take it: \(SafeText.line(reason)). \(Words.count(report.left, "letter")) left: the same command goes on."
            )
        case nil: break
        }
        if report.done > 0, word == "replayed" { Console.line("dead-letters outcomes \(report.batch)") }
    }

    /// Throws the exit code of a command that has not done all of its letters.
    static func end(_ report: ReplayReport) throws {
        switch report.interruption {
        case .asked?: throw ExitCode.interrupted
        case .takenOver?: throw ExitCode.takenOver
        case .failed?: throw ExitCode.failure
        case nil: if report.done < report.planned { throw ExitCode.inPart }
        }
    }
}
