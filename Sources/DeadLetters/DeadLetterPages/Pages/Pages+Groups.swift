import DeadLetters
import WebPages
import WireFormats

extension Pages {
    /// Shows a page of the groups of a filter.
    func groups(_ visit: Visit) async throws -> PageAnswer {
        let form = FilterForm(visit.request.query, now: visit.now)
        let page = Pager.page(visit.request.query)
        let found =
            form.faults.isEmpty ? try await self.groupPage(form.filter, page, now: visit.now) : GroupPage()
        let headline =
            found.open == 0
            ? "No open dead letters"
            : "\(Shown.count(found.open, "open dead letter")) in \(Shown.count(found.total, "group"))"
        let model = GroupsModel(
            frame: self.frame(headline, visit, at: "/", command: TerminalCommand.text("groups", form)),
            headline: headline,
            openTotal: Shown.number(found.open),
            groupTotal: Shown.number(found.total),
            oldest: found.oldestOpen.map { Shown.ago($0, now: visit.now) } ?? "none",
            letterTotal: Shown.number(found.letters),
            filter: FilterPanel(form, action: "/"),
            hasRows: !found.groups.isEmpty,
            rows: found.groups.map { GroupsModel.Line($0, form, now: visit.now) },
            pages: Pager(page, of: found.total, by: Pager.size, at: "/", form.fields),
            nothing: self.nothing(form)
        )
        return .page(try self.templates.render(model, with: .groups), form.faults.isEmpty ? .ok : .badRequest)
    }

    /// Returns the sentence for an empty list.
    private func nothing(_ form: FilterForm) -> String {
        if !form.isEmpty { return "No dead letter is like that." }
        return self.watch.now.refreshedAt == nil
            ? "Nothing has been read yet. Look again in a moment." : "Nothing is dead. Go back to sleep."
    }

    /// Returns a page of groups. The desk is needed only if records have to be read; any thread may read the
    /// index.
    func groupPage(_ filter: LetterFilter, _ page: Int, now: Int64) async throws -> GroupPage {
        let offset = page * Pager.size
        guard filter.needsRecords else {
            return try self.index.groups(
                filter,
                mark: self.mask.mark,
                now: now,
                by: .open,
                offset: offset,
                limit: Pager.size
            )
        }
        return try await self.desk.perform { desk in
            try desk.groups(filter, by: .open, offset: offset, limit: Pager.size)
        }
    }
}

/// The values of the template `groups`.
struct GroupsModel: Sendable {
    struct Line: Sendable {
        var address: String
        var reason: String
        var kind: String
        var meaning: String
        var place: String
        /// The name of whoever looks after the group, and the number of its notes; nil without either.
        var said: String?
        var isSettled: Bool
        var open: String
        var all: String
        var share: String
        var spark: String
        var sparkWords: String
        var last: String
        var lastTime: String
        var lastMachine: String
        var first: String
        var firstTime: String
        var firstMachine: String
        var can: String
        var canClass: String
        /// The address of the dry run; nil if no letter of the group is open.
        var dryRun: String?

        init(_ view: GroupView, _ form: FilterForm, now: Int64) {
            let guide = ReasonGuide(
                code: view.group.reason,
                kind: view.group.kind,
                dialect: DeadLetterDialect(rawValue: view.group.dialect) ?? .unknown
            )
            let can = Replayability(view.replayable, guide)
            // The page of a group keeps the other conditions of the filter.
            var fields = form.fields.without("group")
            fields.add("group", view.mark)
            let spark = Sparkline(view.lastDay)
            self.address = "/letters?" + fields.text
            self.reason = SafeText.line(view.group.cause, limit: 120)
            self.kind = SafeText.line(view.group.kind, limit: 40)
            self.meaning = guide.meaning
            let places = [
                SafeText.line(view.group.worker, limit: 80), SafeText.line(view.group.topic, limit: 120),
            ]
            self.place = places.filter { !$0.isEmpty }.joined(separator: " · ")
            let said = [
                view.assignee.map { "\(SafeText.line($0, limit: 60)) looks after it" },
                view.notes > 0 ? Shown.count(view.notes, "note") : nil,
            ].compactMap(\.self)
            self.said = said.isEmpty ? nil : said.joined(separator: " · ")
            self.isSettled = view.open == 0
            self.open = Shown.number(view.open)
            self.all = Shown.number(view.count)
            self.share = Shown.percent(view.share)
            self.spark = spark.path
            self.sparkWords = spark.words
            self.last = Shown.ago(view.last, now: now)
            self.lastTime = Shown.time(view.last)
            self.lastMachine = Shown.machineTime(view.last)
            self.first = Shown.ago(view.first, now: now)
            self.firstTime = Shown.time(view.first)
            self.firstMachine = Shown.machineTime(view.first)
            self.can = view.open == 0 ? "Nothing open" : can.short
            self.canClass = view.open == 0 ? "done" : can.word
            self.dryRun = view.open == 0 ? nil : "/plan?" + fields.text
        }
    }

    var frame: Frame
    var headline: String
    var openTotal: String
    var groupTotal: String
    var oldest: String
    var letterTotal: String
    var filter: FilterPanel
    var hasRows: Bool
    var rows: [Line]
    var pages: Pager?
    var nothing: String
}

/// Whether a replay can help: by the letter itself, and where the letter does not say, by the guide to its
/// reason.
struct Replayability: Sendable {
    /// The answer: `yes`, `after_fix` or `no`.
    let word: String
    /// Whether the letter itself says it.
    let isByLetter: Bool

    /// Takes the letter's word if it is a known one, and the guide's otherwise.
    init(_ letter: String?, _ guide: ReasonGuide) {
        self.isByLetter = letter.flatMap(DeadLetter.Replayable.init(rawValue:)) != nil
        self.word = self.isByLetter ? letter ?? "" : guide.replay.rawValue
    }

    /// The answer in a few words.
    var short: String {
        switch self.word {
        case "yes": "Replay can help"
        case "after_fix": "Fix first, then replay"
        default: "A replay will not help"
        }
    }

    /// The answer as a sentence.
    var sentence: String {
        switch self.word {
        case "yes": "Yes, as it is."
        case "after_fix": "Yes, once the cause is mended."
        default: "Not as it is."
        }
    }

    /// The source of the answer, as a sentence.
    var why: String {
        self.isByLetter
            ? "That is what its worker said when it gave up." : "That is what its reason suggests."
    }
}
