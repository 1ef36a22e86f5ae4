import DeadLetters
import WebPages
import WireFormats

/// The values of the template `plan`.
struct PlanModel: Sendable {
    struct Target: Sendable {
        var target: String
        var records: String
    }

    struct Refused: Sendable {
        var refused: String
        var sentence: String
        var yields: String
    }

    struct Confirm: Sendable {
        var plan: String
        var planned: String
        var pace: String
        var confirmWords: String
        /// The reason that the user has given already; empty if none has been asked for.
        var because = ""
    }

    /// A letter with the differences that an edit makes in it.
    struct Change: Sendable {
        var changed: String
        var changedShort: String
        var differences: [String]
    }

    /// A reason why letters cannot be edited so.
    struct EditRefused: Sendable {
        var letters: String
        var fault: String
    }

    /// The script of the edit, as the user wrote it.
    struct Script: Sendable {
        var text: String
    }

    struct Hidden: Sendable {
        var name: String
        var value: String
    }

    struct Item: Sendable {
        var id: String
        var short: String
        var reason: String
        var ago: String
        var source: String
        var to: String
        var replays: String
    }

    var frame: Frame
    var headline: String
    var chosen: String
    var faults: [String]
    var warnings: [String]
    var hasTargets: Bool
    var targets: [Target]
    var hasRefusals: Bool
    var refusals: [Refused]
    var hasChanges = false
    var changes: [Change] = []
    var moreChanges: String?
    var hasEditFaults = false
    var editFaults: [EditRefused] = []
    var confirm: Confirm?
    /// Whether the page has the form that changes how the replay is done.
    var hasHow = true
    /// Nil unless the plan is of letters that a script changes.
    var script: Script?
    var hidden: [Hidden]
    var rate: String
    var maximum: String
    var otherTarget: String
    var isNow: Bool
    var isForced: Bool
    var isAgain: Bool
    var hasItems: Bool
    var items: [Item]
    var more: String?

    /// The number of letters that the page lists.
    static let itemsLimit = 20
    /// The age in milliseconds beyond which the page warns of a record, because a worker with a deadline may
    /// let it expire at once.
    private static let oldAge: Int64 = 24 * 3_600_000

    init(
        _ plan: ReplayPlan,
        _ form: FilterForm,
        replay: ReplayForm,
        mark: String?,
        frame: Frame,
        faults: [String],
        now: Int64
    ) {
        let options = replay.options
        self.frame = frame
        self.headline =
            plan.items.isEmpty
            ? "nothing would be replayed" : "\(Shown.count(plan.items.count, "record")) would go"
        self.chosen = form.chosen
        self.faults = faults
        self.warnings = Self.warnings(plan, options, now: now)
        self.targets = plan.targets.sorted { $0.key < $1.key }.map {
            Target(target: SafeText.line($0.key, limit: 250), records: Shown.number($0.value))
        }
        self.hasTargets = !self.targets.isEmpty
        self.refusals = plan.refusalCounts.sorted {
            ($0.value, $1.key.rawValue) > ($1.value, $0.key.rawValue)
        }.map {
            Refused(
                refused: Shown.number($0.value),
                sentence: $0.key.sentence,
                yields: Self.way(around: $0.key)
            )
        }
        self.hasRefusals = !self.refusals.isEmpty
        self.confirm = mark.map { Confirm($0, plan, options: options) }
        self.hidden = form.fields.pairs.map { Hidden(name: $0.name, value: $0.value) }
        self.rate = replay.fields["rate"] ?? String(ReplayForm.defaultRate)
        self.maximum = replay.fields["maximum"] ?? String(options.maximum)
        self.otherTarget = replay.fields["target"] ?? ""
        self.isNow = options.timestamp == .now
        self.isForced = options.force
        self.isAgain = options.again
        self.items = plan.items.prefix(Self.itemsLimit).map { Self.item($0, now: now) }
        self.hasItems = !self.items.isEmpty
        self.more =
            plan.items.count > Self.itemsLimit
            ? "And \(Shown.number(plan.items.count - Self.itemsLimit)) more, the oldest first." : nil
    }

    /// Returns in brackets which field of the page overrides a refusal; empty if none does.
    private static func way(around refusal: ReplayPlan.Refusal) -> String {
        if refusal == .noSource { return "(below, under 'To another topic')" }
        switch refusal.yieldsTo {
        case .force?: return "(force replays it all the same)"
        case .again?: return "(below, under 'Also what has succeeded')"
        case nil: return ""
        }
    }

    private static func item(_ item: ReplayPlan.Item, now: Int64) -> Item {
        Item(
            id: "\(item.letter.id)",
            short: LetterLine.short(item.letter.id),
            reason: SafeText.line(item.letter.group.cause, limit: 120),
            ago: Shown.ago(item.letter.at, now: now),
            source: item.letter.source.map { SafeText.line("\($0)", limit: 120) } ?? "not said",
            to: SafeText.line(item.target, limit: 250),
            replays: Shown.number(item.replays) + (item.hasSucceeded ? ", succeeded before" : "")
        )
    }

    /// Returns the sentences that a user should read before confirming.
    private static func warnings(_ plan: ReplayPlan, _ options: ReplayOptions, now: Int64) -> [String] {
        var warnings: [String] = []
        if plan.needingFix > 0, options.edit == nil {
            warnings.append(
                """
                \(Shown.count(plan.needingFix, "letter says", plural: "letters say")) that something has to be mended first. \
                Has it been?
                """
            )
        }
        let old = options.timestamp == .original ? plan.olderThan(Self.oldAge, now: now) : 0
        if old > 0 {
            warnings.append(
                """
                \(Shown.count(old, "record is", plural: "records are")) more than a day old: a worker with a deadline may expire \
                \(old == 1 ? "it" : "them") at once. With the time of the record set to now, it would not.
                """
            )
        }
        if plan.beyondMaximum > 0 {
            warnings.append(
                "\(Shown.count(plan.beyondMaximum, "letter")) beyond the maximum stay for another replay."
            )
        }
        if options.force {
            warnings.append("With force: what was replayed without success or discarded before goes again.")
        }
        if plan.succeededBefore > 0 {
            warnings.append(
                """
                \(Shown.count(plan.succeededBefore, "letter has", plural: "letters have")) succeeded after a replay before: the \
                upstream does the work a second time.
                """
            )
        }
        if plan.withoutOutcome > 0 {
            warnings.append(
                """
                \(Shown.count(plan.withoutOutcome, "letter has", plural: "letters have")) been replayed before without an outcome \
                so far: both replays may succeed.
                """
            )
        }
        return warnings
    }
}

extension PlanModel {
    /// Adds the differences that an edit makes, and the reasons why it cannot be made in some letters.
    mutating func add(_ mended: MendedPlan) {
        self.changes = mended.samples.map { letter, differences in
            Change(
                changed: "\(letter)",
                changedShort: LetterLine.short(letter),
                differences: differences.map { $0.line() }
            )
        }
        self.hasChanges = !self.changes.isEmpty
        let further = mended.plan.items.count - mended.samples.count
        self.moreChanges = further > 0 ? "And \(Shown.count(further, "letter")) more." : nil
        self.editFaults = mended.commonFaults.prefix(Self.itemsLimit).map {
            EditRefused(letters: Shown.number($0.letters), fault: $0.fault.words)
        }
        self.hasEditFaults = !self.editFaults.isEmpty
        self.confirm?.confirmWords = "I have looked at what changes, and it is to be sent so"
    }
}

extension PlanModel.Confirm {
    fileprivate init(_ mark: String, _ plan: ReplayPlan, options: ReplayOptions) {
        let count = plan.items.count
        self.plan = mark
        self.planned = Shown.count(count, "record")
        let rate = options.rate ?? Double(ReplayForm.defaultRate)
        let seconds = Int64(clamping: Int((Double(count) / rate).rounded(.up)))
        let pace = rate == rate.rounded() ? Shown.number(Int(rate)) : String(rate)
        self.pace = """
            At \(pace) a second that takes about \(Shown.span(seconds * 1_000)). It can be stopped, and what is left can be \
            replayed later.
            """
        let second = plan.succeededBefore
        self.confirmWords =
            "I have looked at what goes where, and the cause is mended"
            + (second > 0 ? "; \(Shown.number(second)) of them are to succeed a second time" : "")
    }
}
