import DeadLetters
import WebPages
import WireFormats

extension Pages {
    /// Shows a page of the letters of a filter.
    func letters(_ visit: Visit) async throws -> PageAnswer {
        let form = FilterForm(visit.request.query, now: visit.now)
        let page = Pager.page(visit.request.query)
        var found: [LetterView] = []
        if form.faults.isEmpty { found = try await self.letterPage(form.filter, page) }
        let hasMore = found.count > Pager.size
        let group = try self.group(form.filter)
        let headline = group.map { SafeText.line($0.group.cause, limit: 120) } ?? "Letters"
        let about = group.map { LettersModel.About($0) }
        // A change of all letters has to name a condition, so a page without a filter names the one of each change.
        let query = form.isEmpty ? "state=\(LetterState.open.word)" : form.fields.text
        let discarded = form.isEmpty ? "state=\(LetterState.discarded.word)" : form.fields.text
        let model = LettersModel(
            frame: self.frame(
                headline,
                visit,
                at: "/letters",
                command: TerminalCommand.text("list", form)
            ),
            headline: headline,
            about: about,
            team: try group.map {
                NotesModel(
                    try self.index.notes(on: $0.mark),
                    on: $0.mark,
                    now: visit.now
                )
            },
            hasLetters: !found.isEmpty,
            canReplay: about?.aboutClass != DeadLetter.Replayable.no.rawValue,
            dryRun: "/plan?" + query,
            mend: "/mend?" + query,
            discard: "/discard?" + query,
            restore: found.contains { $0.state == .discarded } ? "/restore?" + discarded : nil,
            filter: FilterPanel(form, action: "/letters"),
            rows: found.prefix(Pager.size).map { LetterLine($0, now: visit.now) },
            pages: Pager(page, hasMore: hasMore, at: "/letters", form.fields)
        )
        return .page(
            try self.templates.render(model, with: .letters),
            form.faults.isEmpty ? .ok : .badRequest
        )
    }

    /// Returns the letters of a page, and one more if there are further ones.
    private func letterPage(_ filter: LetterFilter, _ page: Int) async throws -> [LetterView] {
        let offset = page * Pager.size
        guard filter.needsRecords else {
            return try self.index.letters(
                filter,
                mark: self.mask.mark,
                by: .openAndNewest,
                limit: Pager.size + 1,
                offset: offset
            )
        }
        let all = try await self.desk.perform { desk in
            try desk.letters(filter, by: .openAndNewest, limit: offset + Pager.size + 1)
        }
        return Array(all.dropFirst(offset))
    }

    /// Returns the group that the filter names; nil if it names none or several.
    private func group(_ filter: LetterFilter) throws -> GroupView? {
        guard filter.groups.count == 1 else { return nil }
        var only = LetterFilter()
        only.groups = filter.groups
        return try self.index.groups(only, mark: self.mask.mark, now: 0, limit: 1).groups.first
    }
}

/// The values of the template `letters`.
struct LettersModel: Sendable {
    /// The description of the group that the page shows.
    struct About: Sendable {
        var aboutWords: String
        var aboutMeaning: String
        var aboutCan: String
        var aboutClass: String
        var aboutAdvice: String

        init(_ view: GroupView) {
            let guide = ReasonGuide(
                code: view.group.reason,
                kind: view.group.kind,
                dialect: DeadLetterDialect(rawValue: view.group.dialect) ?? .unknown
            )
            let can = Replayability(view.replayable, guide)
            self.aboutWords = SafeText.line(
                """
                \(view.group.kind) · \(view.group.worker) · \(view.group.topic) · \(Shown.number(view.open)) open of \
                \(Shown.number(view.count)) · \(view.mark)
                """,
                limit: 400
            )
            self.aboutMeaning = guide.meaning
            self.aboutCan = can.short + "."
            self.aboutClass = can.word
            self.aboutAdvice = guide.advice
        }
    }

    var frame: Frame
    var headline: String
    var about: About?
    /// The notes on that group, and who looks after it.
    var team: NotesModel?
    var hasLetters: Bool
    /// Whether a replay can help the letters of that group; true where several groups are shown.
    var canReplay: Bool
    var dryRun: String
    var mend: String
    var discard: String
    /// The address that brings discarded letters back; nil if the page shows none.
    var restore: String?
    var filter: FilterPanel
    var rows: [LetterLine]
    var pages: Pager?
}

/// One letter in a table.
struct LetterLine: Sendable {
    var id: String
    var short: String
    var ago: String
    var time: String
    var machine: String
    var state: String
    var stateClass: String
    var reason: String
    var key: String
    var source: String
    var attempts: String
    var size: String

    init(_ view: LetterView, now: Int64) {
        self.id = "\(view.id)"
        self.short = Self.short(view.id)
        self.ago = Shown.ago(view.at, now: now)
        self.time = Shown.time(view.at)
        self.machine = Shown.machineTime(view.at)
        self.state = StateWords.phrase(view.state)
        self.stateClass = view.state.word
        self.reason = SafeText.line(view.group.cause, limit: 120)
        self.key = view.keyMark ?? "none"
        self.source = view.source.map { SafeText.line("\($0)", limit: 120) } ?? "not said"
        self.attempts = view.attempts.map { Shown.number($0) } ?? ""
        self.size = view.bytes.map { Shown.bytes($0) } ?? "tombstone"
    }

    /// Returns the beginning of an id that is shown: `dl-` and ten digits, which nearly always tell letters
    /// apart and which the command line accepts.
    static func short(_ id: LetterID) -> String { String("\(id)".prefix(13)) }
}
