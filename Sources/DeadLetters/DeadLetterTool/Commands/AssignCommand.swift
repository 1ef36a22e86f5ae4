import ArgumentParser
import DeadLetters
import Terminal
import WireFormats

/// `dead-letters assign`: says who looks after a group.
struct AssignCommand: WaitingCommand {
    static let configuration = CommandConfiguration(
        commandName: "assign",
        abstract: "Say who looks after a group of dead letters.",
        discussion:
            "It stands beside the group in 'groups' and in the pages, and in the audit trail with your name."
    )

    @Argument(help: "The group, such as g-0123456789.")
    var group: String

    @Argument(help: "The person who looks after it.")
    var assignee: String?

    @Flag(help: "Leave the group without anybody who looks after it.")
    var nobody = false

    @OptionGroup var options: DeskOptions

    func validate() throws {
        guard (self.assignee == nil) == self.nobody else {
            throw ValidationError("Name somebody, or give --nobody.")
        }
    }

    func carryOut(until wish: StopWish) throws {
        try self.options.desk().assign(self.group, to: self.assignee)
        if self.options.json {
            return try JSONDocument.print(Form(group: self.group, assignee: self.assignee))
        }
        Console.line(
            self.assignee.map { "\(SafeText.line($0)) looks after \(self.group)." }
                ?? "\(self.group) has nobody to look after it any more."
        )
    }

    /// The answer as JSON.
    struct Form: Encodable {
        var group: String
        var assignee: String?
    }
}
