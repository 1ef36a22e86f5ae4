import DeadLetters
import Records
import WebPages
import WireFormats

extension Pages {
    /// Asks why a letter is to be edited. Shows nothing of it.
    func askForEdit(_ visit: Visit, _ name: String) async throws -> PageAnswer {
        let view = try await self.desk.perform { try $0.letter(named: name) }
        return try self.page(EditModel(view.id, frame: self.frame(ofEdit: view.id, visit)))
    }

    /// Shows the payload of a letter in a text field, unmasked, after the audit trail has the user's name and reason.
    /// With an edited payload, shows what it would send, masked, or what is wrong with it. Changes nothing.
    func edit(_ visit: Visit, _ name: String) async throws -> PageAnswer {
        let form = visit.request.form
        guard let because = Because(form) else {
            return self.again(visit, [Because.wanted, "Nothing was unmasked or changed."])
        }
        if let text = form.exactly("payload") {
            // A browser ends the lines of a text field with CRLF, whatever they ended with before.
            return try await self.judge(
                text.replacing("\r\n", with: "\n"),
                of: name,
                because: because,
                for: visit
            )
        }
        let user = visit.visitor.name
        let shown: (id: LetterID, text: String?) = try await self.desk.perform { desk in
            desk.user = user
            let detail = try desk.detail(of: try desk.letter(named: name))
            guard let text = EditModel.text(of: detail.payload) else { return (detail.view.id, nil) }
            try desk.recordReveal(
                of: [detail.view.id],
                because: because.text,
                selection: "edit \(detail.view.id)"
            )
            return (detail.view.id, text)
        }
        guard let text = shown.text else {
            return self.message(
                visit,
                .conflict,
                heading: "A browser cannot edit this payload",
                sentences: [
                    "It is no text, or longer than \(Shown.number(EditModel.textLimit)) bytes. In a terminal, 'dead-letters edit \(shown.id)' may do it."
                ],
                next: "/letters/\(shown.id)",
                nextLabel: "Back to the letter"
            )
        }
        var model = EditModel(shown.id, frame: self.frame(ofEdit: shown.id, visit))
        model.editor = EditModel.Editor(text, because: because.text)
        return try self.page(model)
    }

    /// The decision about an edited payload.
    private enum Verdict: Sendable {
        case fault(DeadLetterPayload.EditFault)
        case nothingChanged
        case planned(MendedPlan, ReplayOptions)
    }

    /// Shows what an edited payload would send, or what is wrong with it.
    private func judge(
        _ text: String,
        of name: String,
        because: Because,
        for visit: Visit
    ) async throws -> PageAnswer {
        let (id, verdict) = try await self.desk.perform { try Self.verdict(on: text, of: name, at: $0) }
        var model = EditModel(id, frame: self.frame(ofEdit: id, visit))
        model.editor = EditModel.Editor(text, because: because.text)
        switch verdict {
        case .fault(let fault):
            model.fault = fault.words
            model.faultLine = fault.line.flatMap { EditModel.line($0, of: text) }
            return try self.page(model, .badRequest)
        case .nothingChanged:
            model.fault = "Nothing was changed."
            return try self.page(model, .badRequest)
        case .planned(let mended, let options):
            var fields = FormFields()
            fields.add("id", "\(id)")
            var plan = PlanModel(
                mended.plan,
                FilterForm(fields, now: visit.now),
                replay: ReplayForm(FormFields()),
                mark: self.shelve(mended.plan, options, for: visit),
                frame: model.frame,
                faults: [],
                now: visit.now
            )
            plan.add(mended)
            plan.confirm?.because = because.text
            plan.hasHow = false
            return .page(try self.templates.render(plan, with: .plan))
        }
    }

    /// Holds an edited payload to the schema and the rules of its worker.
    private static func verdict(on text: String, of name: String, at desk: Desk) throws -> (LetterID, Verdict)
    {
        let detail = try desk.detail(of: try desk.letter(named: name))
        let id = detail.view.id
        let value: [UInt8]
        do throws(DeadLetterPayload.EditFault) {
            value = try detail.payload.edited(json: Array(text.utf8))
        } catch {
            return (id, .fault(error))
        }
        let differences = desk.differences(detail.record, detail.payload, with: value)
        guard !differences.isEmpty else { return (id, .nothingChanged) }
        var options = ReplayForm(FormFields()).options
        options.edit = .value(value)
        options.selection = "edit \(id)"
        var filter = LetterFilter()
        filter.ids = [id]
        var mended = MendedPlan(plan: try desk.plan(filter, options))
        mended.samples = [(id, differences)]
        return (id, .planned(mended, options))
    }

    private func frame(ofEdit id: LetterID, _ visit: Visit) -> Frame {
        self.frame("Edit", visit, at: "", command: TerminalCommand.text(["edit", "\(id)"]))
    }

    private func page(_ model: EditModel, _ status: PageAnswer.Status = .ok) throws -> PageAnswer {
        .page(try self.templates.render(model, with: .edit), status)
    }
}
