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
    let how: ReplayHow

    /// Replays the letters of a plan: all, or those of the canary first.
    ///
    /// - Throws: as `Desk.replay`; an `ExitCode` if not all letters were replayed.
    func run(_ plan: ReplayPlan, _ options: ReplayOptions, as action: AuditEntry.Action = .replay) throws {
        guard let canary = self.how.canary, canary < plan.items.count else {
            let report = try self.replay(plan, options, as: action)
            if self.isJSON { try JSONDocument.print(ReplayReportForm(report)) }
            return try Self.end(report)
        }
        var (first, rest) = (plan, plan)
        first.items = Array(plan.items.prefix(canary))
        rest.items = Array(plan.items.dropFirst(canary))
        let report = try self.replay(first, options, as: action)
        let hasSucceeded = try report.done == report.planned && self.hasSucceeded(report.batch)
        if !self.isJSON {
            let word = Words.count(rest.items.count, "letter")
            Console.line(
                hasSucceeded
                    ? "The canary has succeeded." : "The canary has not succeeded: \(word) left as they were."
            )
        }
        let second = hasSucceeded ? try self.replay(rest, options, as: action) : nil
        if self.isJSON {
            try JSONDocument.print(
                CanaryForm(canary: ReplayReportForm(report), rest: second.map(ReplayReportForm.init))
            )
        }
        try Self.end(report)
        guard let second else { throw self.wish.count > 0 ? ExitCode.interrupted : ExitCode.inPart }
        try Self.end(second)
    }

    /// The reports of a replay with a canary, as JSON.
    struct CanaryForm: Encodable {
        var canary: ReplayReportForm
        /// Absent if the canary has not succeeded.
        var rest: ReplayReportForm?
    }

    private func replay(
        _ plan: ReplayPlan,
        _ options: ReplayOptions,
        as action: AuditEntry.Action
    ) throws -> ReplayReport {
        let batch = Desk.newBatch()
        let isWatched = !self.isJSON && isatty(STDERR_FILENO) == 1
        if !self.isJSON { Console.complain("\(batch): Ctrl-C stops between two records.") }
        let deaths = DeathWatch(self.desk, batch: batch, limit: self.how.stopAfterDeaths)
        var report = try self.desk.replay(
            plan,
            options,
            as: action,
            batch: batch,
            isStopped: {
                deaths.look()
                return self.wish.count > 0 || deaths.end != nil
            },
            because: { self.wish.count > 0 ? "a signal to the command" : "--stop-after-deaths" },
            progress: { report in
                guard isWatched else { return }
                Console.write(
                    Array("\rReplayed \(report.done) of \(report.planned) ".utf8),
                    to: STDERR_FILENO
                )
            }
        )
        if isWatched { Console.write(Array("\r\u{1B}[K".utf8), to: STDERR_FILENO) }
        switch deaths.end {
        case .failure(let error)?: Console.complain("the outcomes cannot be read: \(SafeText.line(error))")
        case .deaths(let count)? where !self.isJSON:
            Console.line("\(Words.count(count, "record")) ended without success.")
        case .deaths?, nil: break
        }
        if !self.isJSON { Self.tell(report, "replayed") }
        // No signal has interrupted the command: it ends as one that has not done all of its letters.
        if deaths.end != nil, self.wish.count == 0, report.interruption == .asked {
            report.interruption = nil
        }
        return report
    }

    /// Waits for the outcomes of a batch, and returns whether each of its replays has succeeded.
    private func hasSucceeded(_ batch: String) throws -> Bool {
        let found = try OutcomeWait(desk: self.desk, wish: self.wish)
            .batches(batch, limit: 1, for: .seconds(self.how.canaryWait)) { found in
                guard let found = found.first else { return false }
                // One replay without success is enough to know.
                return found.open == 0 || found.counts[.succeeded] ?? 0 < found.total - found.open
            }
        return found.first.map { $0.counts[.succeeded] == $0.total } ?? false
    }

    /// Prints the result of a replay or of a discard.
    static func tell(_ report: ReplayReport, _ word: String) {
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
