import ArgumentParser
import DeadLetters
import Operations
import Terminal
import WireFormats

/// A change of many letters by a script, at a terminal: first a look at every record, then the replay.
struct ScriptedEdit {
    let desk: Desk
    let script: PayloadScript
    let isJSON: Bool
    let wish: StopWish

    /// The number of letters whose differences are shown, and of faults.
    private static let shownLimit = 5

    /// Shows what the script makes of the letters of a filter, and replays them if `isReal`.
    ///
    /// - Throws: `Complaint` if the replay has no reason; an `ExitCode` if not all letters were replayed.
    func run(_ filter: LetterFilter, _ options: ReplayOptions, how: ReplayHow, isReal: Bool) throws {
        guard !isReal || !options.because.isEmpty else { throw Complaint("say why with --because \"…\"") }
        // Letters that another process has replayed meanwhile are in the ledger by the end of the wait.
        if isReal { _ = try how.giveWay(at: self.desk, until: self.wish) }
        let mended = try self.desk.mended(
            try self.desk.plan(filter, options),
            by: self.script,
            samples: Self.shownLimit,
            isStopped: { self.wish.count > 0 }
        )
        guard self.wish.count == 0 else { throw ExitCode.interrupted }
        if self.isJSON, !isReal || mended.plan.items.isEmpty {
            try JSONDocument.print(MendedPlanForm(mended))
        } else if !self.isJSON {
            self.show(mended)
        }
        guard !mended.plan.items.isEmpty else {
            throw mended.plan.refusals.isEmpty ? ExitCode.nothingMatches : ExitCode.inPart
        }
        guard isReal else {
            if !self.isJSON { Console.line("Nothing was done. Add --go to replay them so.") }
            return
        }
        let runner = TerminalReplay(desk: self.desk, isJSON: self.isJSON, wish: self.wish, how: how)
        try runner.run(mended.plan, options, as: .edit)
    }

    private func show(_ mended: MendedPlan) {
        let now = Timestamp.now.millisecondsSince1970
        for line in ReplayPlanPage(mended.plan, now: now, isEdited: true).lines { Console.line(line) }
        for sample in mended.samples {
            for difference in sample.differences { Console.line("  \(sample.letter)  \(difference.line())") }
        }
        let further = mended.plan.items.count - mended.samples.count
        if further > 0, !mended.samples.isEmpty {
            Console.line("  … and \(Words.count(further, "letter")) more")
        }
        for (fault, letters) in mended.commonFaults.prefix(Self.shownLimit) {
            Console.line("  \(Words.count(letters, "letter")): \(fault.words)")
        }
    }
}

/// The look at letters that a script changes, as JSON.
struct MendedPlanForm: Encodable {
    struct Sample: Encodable {
        var letter: String
        var differences: [String]
    }

    struct Fault: Encodable {
        var sentence: String
        var code: String?
        var letters: Int
    }

    var plan: ReplayPlanForm
    var samples: [Sample]
    var faults: [Fault]

    init(_ mended: MendedPlan) {
        self.plan = ReplayPlanForm(mended.plan)
        self.samples = mended.samples.map {
            Sample(letter: "\($0.letter)", differences: $0.differences.map { $0.line() })
        }
        self.faults = mended.commonFaults.map {
            Fault(sentence: $0.fault.sentence, code: $0.fault.code, letters: $0.letters)
        }
    }
}
