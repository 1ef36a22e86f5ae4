import DeadLetters
import WebPages
import WireFormats

extension Pages {
    /// Shows what a replay would do, and keeps the plan so that the user can confirm it. Changes nothing.
    func plan(_ visit: Visit) async throws -> PageAnswer {
        let form = FilterForm(visit.request.query, now: visit.now)
        var replay = ReplayForm(visit.request.query)
        replay.options.selection = form.selection
        var faults = form.faults + replay.faults
        // An empty form would choose every letter. A user who means all has to say so by a condition that all
        // meet, such as a state or a time.
        if form.isEmpty { faults.append("Nothing is chosen. Choose a group or letters first.") }
        var plan = ReplayPlan()
        if faults.isEmpty {
            let (filter, options) = (form.filter, replay.options)
            plan = try await self.desk.perform { try $0.plan(filter, options) }
        }
        let mark =
            plan.items.isEmpty ? nil : self.shelf.put(.replay(plan, replay.options), for: visit.visitor)
        let headline =
            plan.items.isEmpty
            ? "nothing would be replayed" : "\(Shown.count(plan.items.count, "record")) would go"
        let model = PlanModel(
            plan,
            form,
            replay: replay,
            mark: mark,
            frame: self.frame(
                "Dry run",
                visit,
                at: "",
                command: form.isEmpty ? nil : TerminalCommand.text("replay", form, takesIDs: true)
            ),
            headline: headline,
            faults: faults,
            now: visit.now
        )
        return .page(try self.templates.render(model, with: .plan), faults.isEmpty ? .ok : .badRequest)
    }

    /// Begins the replay of a plan that a dry run has shown.
    func replay(_ visit: Visit) -> PageAnswer {
        let form = visit.request.form
        guard let because = Because(form) else {
            return self.again(visit, [Because.wanted, "Nothing was replayed."])
        }
        guard form["confirmed"] == "yes" else {
            return self.again(visit, ["The box that confirms it was not ticked. Nothing was replayed."])
        }
        guard
            case .replay(let plan, var options)? = form["plan"].flatMap({
                self.shelf.take($0, for: visit.visitor)
            })
        else {
            return self.again(
                visit,
                ["The dry run is too old, or has been confirmed already. Nothing was replayed."]
            )
        }
        options.because = because.text
        let batch = Desk.newBatch()
        let job = ReplayRunner.Job(plan: plan, options: options, user: visit.visitor.name, batch: batch)
        return self.runner.begin(job) ? .redirect(to: "/replays/" + batch) : self.taken(visit)
    }

    /// Returns the page for a confirmation that lacks something.
    func again(_ visit: Visit, _ sentences: [String]) -> PageAnswer {
        self.message(visit, .badRequest, heading: "Not yet", sentences: sentences)
    }

    /// Asks the running replay to stop, and writes to the audit trail which user did.
    func stop(_ visit: Visit, _ batch: String) async throws -> PageAnswer {
        guard self.runner.running?.report.batch == batch else {
            return self.message(
                visit,
                .conflict,
                heading: "That replay is not under way",
                sentences: ["It has ended already."],
                next: "/replays",
                nextLabel: "To the replays"
            )
        }
        // The replay is stopped before the audit entry is written: a wrong replay should end at once, and the
        // entry may have to wait for the cluster.
        _ = self.runner.stop(batch)
        let user = visit.visitor.name
        try await self.desk.perform { desk in
            desk.user = user
            try desk.recordStop(of: batch)
        }
        return .redirect(to: "/replays/" + FormFields.encode(batch))
    }
}

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
    var confirm: Confirm?
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
        headline: String,
        faults: [String],
        now: Int64
    ) {
        let options = replay.options
        self.frame = frame
        self.headline = headline
        self.chosen = form.isEmpty ? "" : "Chosen: " + SafeText.line(form.selection, limit: 300)
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
        if plan.needingFix > 0 {
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
