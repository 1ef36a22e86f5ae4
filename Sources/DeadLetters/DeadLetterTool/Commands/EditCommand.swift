import ArgumentParser
import DeadLetters
import Operations
import Records
import Terminal
import WireFormats

/// `dead-letters edit`: lets the user change the payload of one letter, and replays it.
struct EditCommand: WaitingCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit",
        abstract: "Mend dead letters' payloads, one in your editor or many by a script, and replay them.",
        discussion: """
            With an id, the payload opens in $VISUAL or $EDITOR as JSON, unmasked: that you saw it is written to the audit trail \
            first. The edited payload is held to the schema and the rules of its worker, the difference is shown, and the \
            edited record is replayed once you have said yes. The SHA-256 of the original value stays with it as dlq.edited.

            With --set, --with or --script, every letter of --group, --where or another filter is changed in the same \
            way. Each record is held to its schema first: you see the differences in some of them, how many can be sent, and \
            why the others cannot. Without --go nothing is done.
            """
    )

    @Argument(help: "The letter's id, the beginning of one, or topic/partition/offset.")
    var id: String?

    @OptionGroup var options: DeskOptions
    @OptionGroup var filters: FilterOptions
    @OptionGroup var script: ScriptOptions
    @OptionGroup var how: ReplayHow

    @Option(help: "Why; for ledger and audit trail. Asked for where it is missing.")
    var because: String?

    @Option(help: "Take the edited payload from this file instead of an editor.", completion: .file())
    var file: String?

    @Flag(help: "Replay what was edited without asking once more.")
    var go = false

    func validate() throws {
        try Because.check(self.because)
        try self.how.validate()
        guard self.script.isEmpty else {
            guard self.id != nil || !self.filters.isEmpty else {
                throw ValidationError("Name a letter, a --group, or another filter.")
            }
            guard self.file == nil else { throw ValidationError("Either --file or a script.") }
            return
        }
        guard self.id != nil, self.filters.isEmpty else {
            throw ValidationError("Name one letter; or change many by --set, --with or --script.")
        }
    }

    func carryOut(until wish: StopWish) throws {
        guard self.script.isEmpty else { return try self.editMany(until: wish) }
        guard let id = self.id else { return }
        guard let because = self.because ?? Console.asksFor("Why do you edit it?") else {
            throw Complaint("say why with --because \"…\"")
        }
        try Because.check(because)
        let desk = try self.options.desk()
        let detail = try desk.detail(of: desk.letter(named: id))
        guard let text = detail.payload.editable else {
            throw Complaint("this payload is no text that could be edited: \(detail.payload.form.rawValue)")
        }
        try desk.recordReveal(
            of: [detail.view.id],
            because: because,
            selection: "edit \(detail.view.id)"
        )
        let value = try self.edited(text, detail.payload)
        let differences = desk.differences(detail.record, detail.payload, with: value)
        guard !differences.isEmpty else {
            Console.line("Nothing was changed.")
            throw ExitCode.nothingMatches
        }
        if !self.options.json { for line in differences.map({ $0.line() }) { Console.line(line) } }
        var options = self.how.options
        options.edit = .value(value)
        options.because = because
        options.selection = "edit \(detail.view.id)"
        var filter = LetterFilter()
        filter.ids = [detail.view.id]
        if self.go { _ = try self.how.giveWay(at: desk, until: wish) }
        let plan = try desk.plan(filter, options)
        guard !plan.items.isEmpty else {
            for line in ReplayPlanPage(plan, now: Timestamp.now.millisecondsSince1970).refusals {
                Console.line(line)
            }
            throw ExitCode.inPart
        }
        for line in ReplayPlanPage(plan, now: Timestamp.now.millisecondsSince1970).warnings {
            Console.complain(line)
        }
        guard self.go else {
            return Console.line(
                "Nothing was replayed. Add --go, and --file to take the edited payload from a file."
            )
        }
        try TerminalReplay(desk: desk, isJSON: self.options.json, wish: wish, how: self.how).run(
            plan,
            options,
            as: .edit
        )
    }

    /// Changes many letters by a script.
    private func editMany(until wish: StopWish) throws {
        let desk = try self.options.desk()
        var filter = self.filters.filter(now: Timestamp.now.millisecondsSince1970)
        if let id { filter.ids = [try desk.letter(named: id).id] }
        let script = try self.script.read()
        var options = self.how.options
        options.edit = .script(script)
        options.because = self.because ?? ""
        options.selection = ([self.id ?? "", self.filters.words].filter { !$0.isEmpty } + [script.words])
            .joined(separator: " ")
        let edit = ScriptedEdit(desk: desk, script: script, isJSON: self.options.json, wish: wish)
        try edit.run(filter, options, how: self.how, isReal: self.go)
    }

    /// Returns the edited payload as the bytes of a record.
    ///
    /// If the schema or the worker's rules refuse the text, the user can open the editor again. A text from
    /// `--file` is refused at once.
    private func edited(_ text: [UInt8], _ payload: DeadLetterPayload) throws -> [UInt8] {
        if let file {
            let text = try EditedFile(at: file).read()
            do throws(DeadLetterPayload.EditFault) {
                return try payload.edited(json: text)
            } catch {
                throw Complaint("\(file): \(error.words)")
            }
        }
        let file = try EditedFile(holding: text)
        defer { file.remove() }
        while true {
            try file.openInEditor()
            let text = try file.read()
            do throws(DeadLetterPayload.EditFault) {
                return try payload.edited(json: text)
            } catch {
                Console.complain(error.words)
                guard Console.asks("Edit again?") else { throw ExitCode.inPart }
            }
        }
    }
}
