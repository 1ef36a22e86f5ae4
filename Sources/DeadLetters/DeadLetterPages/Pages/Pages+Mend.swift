import DeadLetters
import WebPages
import WireFormats

extension Pages {
    /// The letters whose differences the page shows.
    private static let samplesLimit = 5

    /// Asks how the letters of a filter are to be changed.
    func askForScript(_ visit: Visit) throws -> PageAnswer {
        let form = FilterForm(visit.request.query, now: visit.now)
        return try self.page(form, script: "", faults: form.faultsOfChoice, visit)
    }

    /// Shows what a script makes of the letters of a filter, and keeps the plan so that the user can confirm it.
    /// Changes nothing.
    func mend(_ visit: Visit) async throws -> PageAnswer {
        let form = FilterForm(visit.request.form, now: visit.now)
        var replay = ReplayForm(visit.request.form)
        let text = (visit.request.form.exactly("script") ?? "").replacing("\r\n", with: "\n")
        var faults = form.faultsOfChoice + replay.faults
        let script: PayloadScript
        do throws(PayloadPath.Fault) {
            script = try PayloadScript(text)
        } catch {
            return try self.page(form, script: text, faults: faults + [SafeText.line(error.sentence)], visit)
        }
        guard faults.isEmpty else { return try self.page(form, script: text, faults: faults, visit) }
        replay.options.edit = .script(script)
        replay.options.selection = "\(form.selection) \(script.words)"
        let (filter, options) = (form.filter, replay.options)
        let mended = try await self.desk.perform { desk in
            try desk.mended(try desk.plan(filter, options), by: script, samples: Self.samplesLimit)
        }
        if mended.plan.items.isEmpty, mended.plan.refusals.isEmpty {
            faults.append("No dead letter is like that.")
        }
        var model = PlanModel(
            mended.plan,
            form,
            replay: replay,
            mark: self.shelve(mended.plan, options, for: visit),
            frame: self.frame("Dry run", visit, at: "", command: Self.command(form, script: text)),
            faults: faults,
            now: visit.now
        )
        model.add(mended)
        model.script = PlanModel.Script(text: text)
        return .page(try self.templates.render(model, with: .plan), faults.isEmpty ? .ok : .badRequest)
    }

    /// A change that shows the form of one, for a command without a script.
    private static let sample = "rename OLD to NEW"

    /// Returns the command that does the same in a terminal; nil if it cannot choose these letters.
    private static func command(_ form: FilterForm, script: String) -> String? {
        guard !form.isEmpty, form.fields.all("id").count < 2 else { return nil }
        let changes = script.split(whereSeparator: \.isNewline).map(\.trimmed)
            .filter { !$0.isEmpty && !$0.hasPrefix("#") }
        return TerminalCommand.text(
            "edit",
            form,
            takesIDs: true,
            and: (changes.isEmpty ? [Self.sample] : changes).flatMap { ["--with", $0] }
        )
    }

    private func page(_ form: FilterForm, script: String, faults: [String], _ visit: Visit) throws
        -> PageAnswer
    {
        let model = MendModel(
            frame: self.frame("Mend", visit, at: "", command: Self.command(form, script: script)),
            chosen: form.chosen,
            faults: faults,
            hidden: form.fields.pairs.map { PlanModel.Hidden(name: $0.name, value: $0.value) },
            script: script
        )
        return .page(try self.templates.render(model, with: .mend), faults.isEmpty ? .ok : .badRequest)
    }
}

/// The values of the template `mend`: the text field for a script.
struct MendModel: Sendable {
    var frame: Frame
    var chosen: String
    var faults: [String]
    var hidden: [PlanModel.Hidden]
    var script: String
}
