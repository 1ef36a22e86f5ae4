import ArgumentParser
import DeadLetters
import Operations
import Terminal
import WireFormats

/// `dead-letters replay`: back to where it came from, once.
struct ReplayCommand: WaitingCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Publish dead records again, to the topic they came from, each one once.",
        discussion: """
            Without --go nothing is done: you see what would go where. With it each record goes with its own key, bytes \
            and headers, plus dlq.replay_of, dlq.replay_id and dlq.replay_count, in one Kafka transaction with its \
            entry in the ledger. What is in the ledger is not replayed again without --force, whoever asks. Interrupt \
            it at any time; the same command goes on with the rest. 'outcomes' shows how the replays end.
            """
    )

    @Argument(help: "Ids of letters, beginnings of ids, or topic/partition/offset.")
    var ids: [String] = []

    @OptionGroup var options: DeskOptions
    @OptionGroup var filters: FilterOptions
    @OptionGroup var how: ReplayHow

    @Flag(help: "Do it.")
    var go = false

    @Flag(help: "Every open letter.")
    var all = false

    @Option(help: "Why; for ledger and audit trail.")
    var because: String?

    func validate() throws {
        guard !self.ids.isEmpty || !self.filters.isEmpty || self.all else {
            throw ValidationError("Name letters, a --group, another filter, or --all.")
        }
        guard self.ids.isEmpty || !self.all else { throw ValidationError("Either ids or --all.") }
        try Reason.check(self.because)
        try self.how.validate()
    }

    func carryOut(until wish: StopWish) throws {
        let now = Timestamp.now.millisecondsSince1970
        let desk = try self.options.desk()
        var filter = self.filters.filter(now: now)
        for id in self.ids {
            let letter = try desk.letter(named: id)
            filter.ids.append(letter.id)
        }
        var options = self.how.options
        options.because = self.because ?? ""
        options.selection = (self.ids + [self.filters.words, self.all ? "--all" : ""]).filter { !$0.isEmpty }
            .joined(separator: " ")
        let plan = try desk.plan(filter, options)
        guard self.go else {
            if self.options.json {
                try JSONDocument.print(ReplayPlanForm(plan))
            } else {
                self.show(plan, now)
            }
            guard plan.items.isEmpty else { return }
            throw plan.refusals.isEmpty ? ExitCode.nothingMatches : ExitCode.inPart
        }
        if !self.options.json { for line in ReplayPlanPage(plan, now: now).refusals { Console.line(line) } }
        guard !plan.items.isEmpty else {
            if self.options.json {
                try JSONDocument.print(ReplayPlanForm(plan))
            } else {
                Console.line("Nothing to replay.")
            }
            throw plan.refusals.isEmpty ? ExitCode.nothingMatches : ExitCode.inPart
        }
        try self.how.giveWay(to: desk.underWay(), now)
        let runner = ReplayRunner(desk: desk, isJSON: self.options.json, wish: wish)
        try runner.run(plan, options)
    }

    private func show(_ plan: ReplayPlan, _ now: Int64) {
        for line in ReplayPlanPage(plan, now: now).lines { Console.line(line) }
        if !plan.items.isEmpty { Console.line("Nothing was done. Add --go to replay.") }
    }
}

/// How a replay is done.
struct ReplayHow: ParsableArguments {
    @Option(help: ArgumentHelp("Another topic than the one each came from.", valueName: "topic"))
    var to: String?

    @Option(help: "Records a second.")
    var rate: Double?

    @Option(name: .customLong("max"), help: "Letters at most; the oldest go first.")
    var maximum = 10_000

    @Option(help: "How often a record may be replayed in its life.")
    var maxReplays = 3

    @Flag(help: "Also what was replayed or discarded before, too often, or cannot be helped by it.")
    var force = false

    @Flag(
        help:
            "Do it although somebody else is at it: theirs ends, and what they have replayed is not replayed again."
    )
    var takeOver = false

    @Option(
        help:
            "Which time the record has: that of the original, or now. A worker's deadline counts from it, and so does the age of a device token."
    )
    var timestamp = ReplayedRecord.TimestampPolicy.original

    func validate() throws {
        guard (1...ReplayOptions.largestMaximum).contains(self.maximum) else {
            throw ValidationError("--max is from 1 to \(ReplayOptions.largestMaximum).")
        }
        if let rate {
            guard rate.isFinite, (0.01...1_000_000).contains(rate) else {
                throw ValidationError("--rate is from 0.01 to 1000000.")
            }
        }
        guard self.maxReplays >= 1 else { throw ValidationError("--max-replays is at least 1.") }
    }

    /// Two at once would end each other.
    func giveWay(to other: Desk.UnderWay?, _ now: Int64) throws {
        guard let other, !self.takeOver else { return }
        let because = other.because.isEmpty ? "" : ", because \(SafeText.line(other.because, limit: 200))"
        Console.complain(
            """
            \(SafeText.line(other.by)) is at it: \(other.batch), \(other.done) of \(other.planned) replayed\(because); \
            last seen \(Words.age(other.at, now: now)) ago. Wait, or --take-over. Nothing was done.
            """
        )
        throw ExitCode.takenOver
    }

    var options: ReplayOptions {
        var options = ReplayOptions()
        options.target = self.to
        options.rate = self.rate
        options.maximum = self.maximum
        options.replayLimit = self.maxReplays
        options.force = self.force
        options.timestamp = self.timestamp
        return options
    }
}

extension ReplayedRecord.TimestampPolicy: ExpressibleByArgument {}
