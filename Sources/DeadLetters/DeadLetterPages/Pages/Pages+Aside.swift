import DeadLetters
import WebPages
import WireFormats

extension Pages {
    /// The number of letters of one confirmation at most.
    private static let asideLimit = 10_000

    /// Shows which letters would be discarded or brought back, and keeps them so that the user can confirm. Changes
    /// nothing.
    func aside(_ action: AsideAction, _ visit: Visit) async throws -> PageAnswer {
        let form = FilterForm(visit.request.query, now: visit.now)
        var faults = form.faultsOfChoice
        var letters: [LetterView] = []
        if faults.isEmpty {
            let chosen = form.filter
            letters = try await self.desk.perform {
                try $0.letters(chosen, for: action, limit: Self.asideLimit + 1)
            }
            letters.removeAll { ($0.state == .discarded) != (action == .restore) }
        }
        if letters.count > Self.asideLimit {
            faults.append("More than \(Shown.number(Self.asideLimit)) letters: narrow it down first.")
            letters = []
        }
        let mark =
            letters.isEmpty
            ? nil : self.shelf.put(.aside(action, letters, selection: form.selection), for: visit.visitor)
        let headline = letters.isEmpty ? "nothing" : Shown.count(letters.count, "letter")
        let words = AsideWords(action)
        let model = AsideModel(
            frame: self.frame(
                words.verb,
                visit,
                at: "",
                command: form.isEmpty
                    ? nil
                    : TerminalCommand.text(action == .discard ? "discard" : "restore", form, takesIDs: true)
            ),
            headline: headline,
            words: words,
            chosen: form.chosen,
            faults: faults,
            confirm: mark.map {
                .init(
                    plan: $0,
                    planned: headline,
                    confirmWords: words.confirmation(letters.count)
                )
            },
            hasItems: !letters.isEmpty,
            items: letters.prefix(PlanModel.itemsLimit).map { LetterLine($0, now: visit.now) },
            more: letters.count > PlanModel.itemsLimit
                ? "And \(Shown.number(letters.count - PlanModel.itemsLimit)) more." : nil
        )
        return .page(try self.templates.render(model, with: .aside), faults.isEmpty ? .ok : .badRequest)
    }

    /// Discards the letters that the page has shown, or brings them back.
    func asideNow(_ action: AsideAction, _ visit: Visit) async throws -> PageAnswer {
        let form = visit.request.form
        let nothing = "Nothing was \(action.participle)."
        guard let because = Because(form) else { return self.again(visit, [Because.wanted, nothing]) }
        guard form["confirmed"] == "yes" else {
            return self.again(visit, ["The box that confirms it was not ticked. \(nothing)"])
        }
        guard
            case .aside(let planned, let letters, let selection)? = form["plan"].flatMap({
                self.shelf.take($0, for: visit.visitor)
            }), planned == action
        else { return self.again(visit, ["The page is too old, or was confirmed already. \(nothing)"]) }
        let user = visit.visitor.name
        let report = try await self.runner.alone { desk in
            desk.user = user
            return try desk.carryOut(action, on: letters, because: because.text, selection: selection)
        }
        let done = Shown.count(report.done, "letter")
        let name = SafeText.line(user, limit: 60)
        var sentences = ["\(done) \(action.participle), in the name of \(name)."]
        sentences += report.skipped.sorted { $0.key.rawValue < $1.key.rawValue }.map { refusal, count in
            "Not \(Shown.count(count, "letter")): \(refusal.sentence)."
        }
        return self.message(visit, .ok, heading: AsideWords(action).heading, sentences: sentences)
    }
}

/// The values of the template `aside`.
struct AsideModel: Sendable {
    struct Confirm: Sendable {
        var plan: String
        var planned: String
        var confirmWords: String
    }

    var frame: Frame
    var headline: String
    var words: AsideWords
    var chosen: String
    var faults: [String]
    var confirm: Confirm?
    var hasItems: Bool
    var items: [LetterLine]
    var more: String?
}
