import ArgumentParser
import DeadLetters
import Operations
import Terminal
import WireFormats

/// The options that choose letters.
struct FilterOptions: ParsableArguments {
    @Option(help: "From this time on: 2h, 3d, 2026-11-22 or 2026-11-22T03:00:00Z.")
    var since: TimeArgument?

    @Option(help: "Before this time.")
    var until: TimeArgument?

    @Option(help: "A reason such as gdt.-12; http.* stands for all that begin so; can be repeated.")
    var reason: [String] = []

    @Option(
        name: .customLong("class"),
        help: "A class such as rejected or exhausted; can be repeated.",
        completion: .list(DeadLetter.Class.allCases.map(\.rawValue))
    )
    var classes: [String] = []

    @Option(help: "The worker that wrote them, such as receipt-worker; can be repeated.")
    var worker: [String] = []

    @Option(help: "A group as 'groups' names it, g-…; can be repeated.")
    var group: [String] = []

    @Option(help: "A topic of dead letters; can be repeated.")
    var topic: [String] = []

    @Option(
        help: "open, replayed, succeeded, rejected, expired, dead_again or discarded; can be repeated.",
        completion: .list(LetterState.allCases.map(\.word))
    )
    var state: [StateArgument] = []

    @Option(help: "The record's key.")
    var key: String?

    @Option(help: "A header that is there, or name=value; can be repeated.")
    var header: [String] = []

    @Option(
        name: .customLong("where"),
        help: ArgumentHelp(
            "A condition on the decoded payload: appId = 112233, items[0].price > 10, note ~ refund, or a path that is there; can be repeated.",
            valueName: "path op value"
        )
    )
    var conditions: [ConditionArgument] = []

    /// Returns the options as a filter.
    ///
    /// - Parameter now: the time in milliseconds since 1970, from which a period such as "2h" counts back.
    func filter(now: Int64) -> LetterFilter {
        var filter = LetterFilter()
        filter.topics = self.topic
        filter.workers = self.worker
        filter.classes = self.classes
        filter.reasons = self.reason
        filter.groups = self.group
        filter.states = self.state.map(\.state)
        filter.since = self.since?.milliseconds(now: now)
        filter.until = self.until?.milliseconds(now: now)
        filter.key = self.key.map { Array($0.utf8) }
        filter.headers = self.header.map { LetterFilter.HeaderCondition($0) }
        filter.conditions = self.conditions.map(\.condition)
        return filter
    }

    /// The options as they were written, for the audit trail. Keys, values of headers and conditions on
    /// payloads are left out, because they may be personal data.
    var words: String {
        var words: [String] = []
        for (name, values) in [
            ("reason", self.reason), ("class", self.classes), ("worker", self.worker), ("group", self.group),
            ("topic", self.topic), ("state", self.state.map(\.state.word)),
            ("header", self.header.map { LetterFilter.HeaderCondition($0).name }),
        ] {
            words += values.map { "--\(name) \($0)" }
        }
        if let since { words.append("--since \(since.text)") }
        if let until { words.append("--until \(until.text)") }
        if self.key != nil { words.append("--key …") }
        words += self.conditions.map { _ in "--where …" }
        return words.joined(separator: " ")
    }

    /// Whether no option chooses letters.
    var isEmpty: Bool { self.words.isEmpty }
}

/// A time on the command line, or a period back from now.
struct TimeArgument: ExpressibleByArgument {
    let text: String
    /// The time in milliseconds since 1970; nil for a period.
    private let time: Int64?
    /// The period; nil for a time.
    private let ago: Duration?

    init?(argument: String) {
        self.text = argument
        self.ago = SettingText.duration(argument)
        self.time = RFC3339.milliseconds(argument) ?? RFC3339.milliseconds("\(argument)T00:00:00Z")
        if self.ago == nil, self.time == nil { return nil }
    }

    /// Returns the time in milliseconds since 1970.
    func milliseconds(now: Int64) -> Int64 {
        self.time ?? now - Int64((self.ago ?? .zero) / .milliseconds(1))
    }
}

/// A state of letters on the command line.
struct StateArgument: ExpressibleByArgument {
    let state: LetterState

    init?(argument: String) {
        guard let state = LetterState(word: argument) else { return nil }
        self.state = state
    }

    static let allValueStrings = LetterState.allCases.map(\.word)
}

/// A property of letters on the command line, by which they are counted.
struct TraitArgument: ExpressibleByArgument {
    let text: String
    let trait: LetterTrait

    init?(argument: String) {
        guard let trait = try? LetterTrait(argument) else { return nil }
        self.text = argument
        self.trait = trait
    }
}

/// A condition on the payload on the command line.
struct ConditionArgument: ExpressibleByArgument {
    let condition: DeadLetterCondition

    init?(argument: String) {
        guard let condition = try? DeadLetterCondition(argument) else { return nil }
        self.condition = condition
    }
}
