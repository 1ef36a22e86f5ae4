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
        abstract: "Mend a dead letter's payload in your editor, and replay it.",
        discussion: """
            The payload opens in $VISUAL or $EDITOR as JSON, unmasked: that you saw it is written to the audit trail \
            first. What comes out is held to the schema and the rules of its worker, the difference is shown, and the \
            edited record is replayed once you have said yes. The SHA-256 of the original value stays with it as dlq.edited.
            """
    )

    @Argument(help: "The letter's id, the beginning of one, or topic/partition/offset.")
    var id: String

    @OptionGroup var options: DeskOptions
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
    }

    func carryOut(until wish: StopWish) throws {
        guard let because = self.because ?? Console.asksFor("Why do you edit it?") else {
            throw Complaint("say why with --because \"…\"")
        }
        try Because.check(because)
        let desk = try self.options.desk()
        let detail = try desk.detail(of: desk.letter(named: self.id))
        guard let text = detail.payload.editable else {
            throw Complaint("this payload is no text that could be edited: \(detail.payload.form.rawValue)")
        }
        try desk.recordReveal(
            of: [detail.view.id],
            because: because,
            selection: "edit \(detail.view.id)"
        )
        let value = try self.edited(text, detail.payload)
        var record = detail.record
        record.value = value
        let differences = FieldDifference.between(
            detail.payload,
            DeadLetterPayload(of: record, schema: detail.payload.schema)
        ) { desk.mark.text($0) }
        guard !differences.isEmpty else {
            Console.line("Nothing was changed.")
            throw ExitCode.nothingMatches
        }
        if !self.options.json { for line in differences.map({ $0.line() }) { Console.line(line) } }
        var options = self.how.options
        options.edited = value
        options.because = because
        options.selection = "edit \(detail.view.id)"
        var filter = LetterFilter()
        filter.ids = [detail.view.id]
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
        try TerminalReplay(desk: desk, isJSON: self.options.json, wish: wish).run(plan, options, as: .edit)
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
                throw Complaint("\(file): \(Self.sentence(error))")
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
                Console.complain(Self.sentence(error))
                guard Console.asks("Edit again?") else { throw ExitCode.inPart }
            }
        }
    }

    /// Returns the fault as a sentence with its place in the text.
    private static func sentence(_ fault: DeadLetterPayload.EditFault) -> String {
        let place = fault.line.map { "line \($0)\(fault.column.map { ", column \($0)" } ?? ""): " } ?? ""
        return "\(place)\(SafeText.line(fault.sentence))\(fault.code.map { " (\($0))" } ?? "")"
    }
}
