import ArgumentParser
import DeadLetters
import Operations
import Terminal

/// `dead-letters replay`: publishes the records of letters again, each one once.
struct ReplayCommand: WaitingCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Publish dead records again, to the topic they came from, each one once.",
        discussion: """
            Without --go nothing is done: you see what would go where. With it each record goes with its own key, bytes \
            and headers, plus dlq.replay_of, dlq.replay_id, dlq.replay_count and flotilla.origin, in one Kafka \
            transaction with its entry in the ledger. A letter in the ledger is not replayed again without --force, \
            whoever asks, and one that has succeeded since not without --again. Interrupt it at any time; the same \
            command goes on with the rest. 'outcomes' shows how the replays end.
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
        try Because.check(self.because)
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
        var plan = try desk.plan(filter, options)
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
        try self.endIfNothing(of: plan)
        // Letters that the other process has replayed are in the ledger by now, so a new plan leaves them
        // out.
        if try self.how.giveWay(at: desk, until: wish) { plan = try desk.plan(filter, options) }
        try self.endIfNothing(of: plan)
        if !self.options.json { for line in ReplayPlanPage(plan, now: now).warnings { Console.line(line) } }
        let runner = TerminalReplay(desk: desk, isJSON: self.options.json, wish: wish, how: self.how)
        try runner.run(plan, options)
    }

    /// Ends the command if the plan has no letters to replay.
    private func endIfNothing(of plan: ReplayPlan) throws {
        guard plan.items.isEmpty else { return }
        if self.options.json {
            try JSONDocument.print(ReplayPlanForm(plan))
        } else {
            Console.line("Nothing to replay.")
        }
        throw plan.refusals.isEmpty ? ExitCode.nothingMatches : ExitCode.inPart
    }

    /// Prints the plan of a dry run.
    private func show(_ plan: ReplayPlan, _ now: Int64) {
        for line in ReplayPlanPage(plan, now: now).lines { Console.line(line) }
        if !plan.items.isEmpty { Console.line("Nothing was done. Add --go to replay.") }
    }
}
