import ArgumentParser
import DeadLetters
import Operations
import Terminal

/// `dead-letters stats`: shows for each topic how many letters there are, how fast they grow, and how old
/// they are.
struct StatsCommand: WaitingCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats",
        abstract: "How many dead letters there are, how fast they grow, and how old the oldest is."
    )

    @OptionGroup var options: DeskOptions
    @OptionGroup var filters: FilterOptions

    /// The figures of a topic as JSON. `lastHour` counts the letters since the last full hour.
    struct Form: Encodable {
        var topic: String
        var letters: Int
        var open: Int
        var lastHour: Int
        var perHourOfLastDay: Double
        var oldest: String?
        var newest: String?
    }

    func carryOut(until wish: StopWish) throws {
        let now = Timestamp.now.millisecondsSince1970
        let found = try self.options.desk().groups(self.filters.filter(now: now))
        let forms = Dictionary(grouping: found.groups) { $0.group.topic }
            .sorted { $0.key < $1.key }
            .map { Self.form($0.key, $0.value) }
        if self.options.json { return try JSONDocument.print(forms) }
        guard !forms.isEmpty else {
            Console.line("No dead letters.")
            throw ExitCode.nothingMatches
        }
        var table = TextTable([
            ("topic", .left), ("letters", .right), ("open", .right), ("last hour", .right),
            ("per hour today", .right),
            ("oldest", .right), ("newest", .right),
        ])
        for group in Dictionary(grouping: found.groups, by: \.group.topic).sorted(by: { $0.key < $1.key }) {
            let form = Self.form(group.key, group.value)
            table.add([
                form.topic, "\(form.letters)", "\(form.open)", "\(form.lastHour)",
                "\((form.perHourOfLastDay * 10).rounded() / 10)",
                Words.age(group.value.map(\.first).min() ?? now, now: now),
                Words.age(group.value.map(\.last).max() ?? now, now: now),
            ])
        }
        for line in table.lines(on: Display()) { Console.line(line) }
    }

    /// Returns the figures of a topic from those of its groups.
    private static func form(_ topic: String, _ groups: [GroupView]) -> Form {
        Form(
            topic: topic,
            letters: groups.reduce(0) { $0 + $1.count },
            open: groups.reduce(0) { $0 + $1.open },
            lastHour: groups.reduce(0) { $0 + ($1.lastDay.last ?? 0) },
            perHourOfLastDay: Double(groups.reduce(0) { $0 + $1.lastDay.reduce(0, +) }) / 24,
            oldest: groups.map(\.first).min().map(Words.time),
            newest: groups.map(\.last).max().map(Words.time)
        )
    }
}
