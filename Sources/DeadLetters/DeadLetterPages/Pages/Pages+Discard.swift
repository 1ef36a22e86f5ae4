import DeadLetters
import WebPages
import WireFormats

extension Pages {
    /// The number of letters that one confirmation may discard.
    private static let discardLimit = 10_000

    /// Shows which letters would be discarded, and keeps them so that the user can confirm. Changes nothing.
    func discard(_ visit: Visit) async throws -> PageAnswer {
        let form = FilterForm(visit.request.query, now: visit.now)
        var faults = form.faults
        if form.isEmpty { faults.append("Nothing is chosen. Choose a group or letters first.") }
        var letters: [LetterView] = []
        if faults.isEmpty {
            var filter = form.filter
            // Letters that were replayed or discarded are left out, unless the filter names letters or states
            // itself.
            if filter.ids.isEmpty, filter.positions.isEmpty, filter.states.isEmpty { filter.states = [.open] }
            let chosen = filter
            letters = try await self.desk.perform { try $0.letters(chosen, limit: Self.discardLimit + 1) }
            letters.removeAll { $0.state == .discarded }
        }
        if letters.count > Self.discardLimit {
            faults.append("More than \(Shown.number(Self.discardLimit)) letters: narrow it down first.")
            letters = []
        }
        let mark =
            letters.isEmpty
            ? nil : self.shelf.put(.discard(letters, selection: form.selection), for: visit.visitor)
        let headline = letters.isEmpty ? "nothing" : Shown.count(letters.count, "letter")
        let model = DiscardModel(
            frame: self.frame("Discard", visit, at: ""),
            headline: headline,
            chosen: form.isEmpty ? "" : "Chosen: " + SafeText.line(form.selection, limit: 300),
            faults: faults,
            confirm: mark.map {
                .init(
                    plan: $0,
                    planned: headline,
                    confirmWords: "I am sure that nobody needs \(letters.count == 1 ? "it" : "them")"
                )
            },
            hasItems: !letters.isEmpty,
            items: letters.prefix(PlanModel.itemsLimit).map { LetterLine($0, now: visit.now) },
            more: letters.count > PlanModel.itemsLimit
                ? "And \(Shown.number(letters.count - PlanModel.itemsLimit)) more." : nil
        )
        return .page(try self.templates.render(model, with: .discard), faults.isEmpty ? .ok : .badRequest)
    }

    /// Discards the letters that the page has shown.
    func discardNow(_ visit: Visit) async throws -> PageAnswer {
        let form = visit.request.form
        guard let because = Because(form) else {
            return self.again(visit, [Because.wanted, "Nothing was discarded."])
        }
        guard form["confirmed"] == "yes" else {
            return self.again(visit, ["The box that confirms it was not ticked. Nothing was discarded."])
        }
        guard
            case .discard(let letters, let selection)? = form["plan"].flatMap({
                self.shelf.take($0, for: visit.visitor)
            })
        else {
            return self.again(
                visit,
                ["The page is too old, or was confirmed already. Nothing was discarded."]
            )
        }
        let user = visit.visitor.name
        let report = try await self.runner.alone { desk in
            desk.user = user
            return try desk.discard(letters, because: because.text, selection: selection)
        }
        let before = report.skipped[.discarded, default: 0]
        var sentences = [
            "\(Shown.count(report.done, "letter")) discarded, in the name of \(SafeText.line(user, limit: 60))."
        ]
        if before > 0 { sentences.append("\(Shown.count(before, "letter")) had been discarded before.") }
        return self.message(visit, .ok, heading: "Discarded", sentences: sentences)
    }
}

/// The values of the template `discard`.
struct DiscardModel: Sendable {
    struct Confirm: Sendable {
        var plan: String
        var planned: String
        var confirmWords: String
    }

    var frame: Frame
    var headline: String
    var chosen: String
    var faults: [String]
    var confirm: Confirm?
    var hasItems: Bool
    var items: [LetterLine]
    var more: String?
}
