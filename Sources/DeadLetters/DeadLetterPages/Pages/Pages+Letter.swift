import DeadLetters
import WebPages

extension Pages {
    /// Shows a letter, masked.
    func letter(_ visit: Visit, _ name: String) async throws -> PageAnswer {
        let detail = try await self.desk.perform { try $0.detail(of: try $0.letter(named: name)) }
        return try self.page(of: detail, visit, isRevealed: false)
    }

    /// Shows a letter unmasked, after the audit trail has the user's name and reason.
    func reveal(_ visit: Visit, _ name: String) async throws -> PageAnswer {
        guard let because = Because(visit.request.form) else {
            return self.message(
                visit,
                .badRequest,
                heading: "Why?",
                sentences: [Because.wanted, "Nothing was unmasked."],
                next: "/letters/" + FormFields.encode(name),
                nextLabel: "Back to the letter"
            )
        }
        let user = visit.visitor.name
        let detail = try await self.desk.perform { desk in
            let view = try desk.letter(named: name)
            desk.user = user
            try desk.recordReveal(of: [view.id], because: because.text, selection: "id=\(view.id)")
            return try desk.detail(of: view)
        }
        return try self.page(of: detail, visit, isRevealed: true)
    }

    /// Returns the page of a letter.
    private func page(of detail: LetterDetail, _ visit: Visit, isRevealed: Bool) throws -> PageAnswer {
        let model = LetterModel(
            MaskedLetter(detail: detail, mask: self.mask, isRevealed: isRevealed),
            frame: self.frame("Letter \(LetterLine.short(detail.view.id))", visit, at: ""),
            now: visit.now
        )
        return .page(try self.templates.render(model, with: .letter))
    }
}
