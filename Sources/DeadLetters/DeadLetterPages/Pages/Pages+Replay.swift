import DeadLetters
import WebPages
import WireFormats

extension Pages {
    /// Shows what a replay would do, and keeps the plan so that the user can confirm it. Changes nothing.
    func plan(_ visit: Visit) async throws -> PageAnswer {
        let form = FilterForm(visit.request.query, now: visit.now)
        var replay = ReplayForm(visit.request.query)
        replay.options.selection = form.selection
        let faults = form.faultsOfChoice + replay.faults
        var plan = ReplayPlan()
        if faults.isEmpty {
            let (filter, options) = (form.filter, replay.options)
            plan = try await self.desk.perform { try $0.plan(filter, options) }
        }
        let model = PlanModel(
            plan,
            form,
            replay: replay,
            mark: self.shelve(plan, replay.options, for: visit),
            frame: self.frame(
                "Dry run",
                visit,
                at: "",
                command: form.isEmpty ? nil : TerminalCommand.text("replay", form, takesIDs: true)
            ),
            faults: faults,
            now: visit.now
        )
        return .page(try self.templates.render(model, with: .plan), faults.isEmpty ? .ok : .badRequest)
    }

    /// Keeps a plan until its user confirms it, and returns its mark; nil if nothing would be replayed.
    func shelve(_ plan: ReplayPlan, _ options: ReplayOptions, for visit: Visit) -> String? {
        plan.items.isEmpty ? nil : self.shelf.put(.replay(plan, options), for: visit.visitor)
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

    /// Writes to the audit trail that the user stops the running replay, and then asks it to stop.
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
        let user = visit.visitor.name
        try await self.desk.perform { desk in
            desk.user = user
            try desk.recordStop(of: batch)
        }
        _ = self.runner.stop(batch)
        return .redirect(to: "/replays/" + FormFields.encode(batch))
    }
}
