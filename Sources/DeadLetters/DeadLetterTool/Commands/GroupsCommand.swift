import ArgumentParser
import DeadLetters
import Operations
import Terminal
import WireFormats

/// `dead-letters groups`: shows the groups of letters, one line each, and explains those of the first three
/// that have open letters.
struct GroupsCommand: WaitingCommand {
    static let configuration = CommandConfiguration(
        commandName: "groups",
        abstract: "Dead letters of the same worker, class and reason, as one line each.",
        discussion: """
            The group with most open letters comes first; groups without open letters are left out unless --all or \
            --state is given. The last column is the last day, hour by hour. A narrow terminal shows fewer columns.
            """
    )

    @OptionGroup var options: DeskOptions
    @OptionGroup var filters: FilterOptions
    @OptionGroup var limit: LimitOption

    @Option(
        help: ArgumentHelp(
            "Count by another property: key, partition, hour, header:NAME, or a place in the payload such as appId.",
            valueName: "property"
        )
    )
    var by: TraitArgument?

    @Flag(help: "Also groups without open letters.")
    var all = false

    func carryOut(until wish: StopWish) throws {
        if let by { return try self.count(by: by) }
        let now = Timestamp.now.millisecondsSince1970
        let found = try self.options.desk().groups(
            self.filters.filter(now: now),
            by: .open,
            limit: self.limit.lines()
        )
        if self.options.json {
            return try JSONDocument.print(
                Form(groups: found.groups.map(GroupForm.init), total: found.total, letters: found.letters)
            )
        }
        guard !found.groups.isEmpty else {
            Console.line("No dead letters.")
            throw ExitCode.nothingMatches
        }
        let showsMended = self.all || !self.filters.state.isEmpty
        let shown = showsMended ? found.groups : found.groups.filter { $0.open > 0 }
        if shown.isEmpty { Console.line("No open dead letters.") } else { Self.show(shown, now: now) }
        let left = found.total - shown.count
        // The groups with open letters come first. So all that the limit leaves out are mended if one that it lets
        // through is.
        if left > 0, shown.count < found.groups.count {
            Console.line("… and \(Words.count(left, "group")) without open letters; --all shows them too")
        } else if left > 0 {
            Console.line("… and \(Words.count(left, "further group")); --limit shows more")
        }
        for group in shown.prefix(3) where group.open > 0 {
            let guide = ReasonGuide(
                code: group.group.reason,
                kind: group.group.kind,
                dialect: DeadLetterDialect(rawValue: group.group.dialect) ?? .unknown
            )
            Console.line("")
            Console.line("\(SafeText.line(group.group.cause)): \(guide.meaning)")
            Console.line("  \(guide.advice)")
            if let sample = group.sample { Console.line("  dead-letters show \(sample)") }
        }
    }

    private static func show(_ groups: [GroupView], now: Int64) {
        let areAssigned = groups.contains { $0.assignee != nil }
        var table = TextTable(
            [
                ("group", .left), ("worker", .left), ("class", .left), ("reason", .left), ("letters", .right),
                ("open", .right), ("share", .right), ("first", .right), ("last", .right), ("replay", .left),
            ] + (areAssigned ? [("assignee", .left)] : []) + [("", .left)],
            givingWay: ["", "share", "first", "class", "letters", "worker"]
        )
        for group in groups {
            table.add(
                [
                    group.mark, group.group.worker, group.group.kind, group.group.cause, "\(group.count)",
                    "\(group.open)", Words.percent(group.share), Words.age(group.first, now: now),
                    Words.age(group.last, now: now), group.replayable ?? "?",
                ] + (areAssigned ? [group.assignee ?? ""] : []) + [Words.sparkline(group.lastDay)],
                inks: [
                    "open": group.open > 0 ? .bold : .plain,
                    "replay": ["yes": .green, "after_fix": .yellow, "no": .red][group.replayable] ?? .dim,
                ]
            )
        }
        for line in table.lines(on: Display()) { Console.line(line) }
    }

    /// Shows the numbers of letters by a property.
    private func count(by property: TraitArgument) throws {
        let desk = try self.options.desk()
        let filter = self.filters.filter(now: Timestamp.now.millisecondsSince1970)
        let found = try desk.counts(filter, by: property.trait)
        let shown = found.counts.prefix(self.limit.lines())
        if self.options.json {
            return try JSONDocument.print(TraitCountsForm(found, by: property.text, shown: Array(shown)))
        }
        guard found.letters + found.gone > 0 else {
            Console.line("No dead letters.")
            throw ExitCode.nothingMatches
        }
        var table = TextTable([
            (property.text, .left), ("letters", .right), ("open", .right), ("share", .right),
        ])
        for count in shown {
            let share = Double(count.letters) / Double(max(1, found.letters))
            table.add([count.value, "\(count.letters)", "\(count.open)", Words.percent(share)])
        }
        for line in table.lines(on: Display()) { Console.line(line) }
        let further = found.counts.count - shown.count
        if further > 0 {
            Console.line("… and \(Words.count(further, "further value")); --limit shows more")
        }
        if found.others > 0 {
            Console.line("\(Words.count(found.others, "letter")) with still other values.")
        }
        if found.gone > 0 {
            Console.line("\(Words.count(found.gone, "letter")) whose record is gone from its topic.")
        }
    }

    /// The groups as JSON.
    struct Form: Encodable {
        var groups: [GroupForm]
        /// The number of all groups of the filter, also beyond `--limit`.
        var total: Int
        /// The number of letters in all those groups.
        var letters: Int
    }
}
