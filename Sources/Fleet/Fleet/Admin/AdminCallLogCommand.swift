import ArgumentParser
import ServiceKit
import Terminal

/// `fleet admin call-log`: has the worker log its next calls.
struct AdminCallLogCommand: WaitingCommand {
    static let configuration = CommandConfiguration(
        commandName: "call-log",
        abstract: "Have the worker log its next calls, one line each.",
        discussion: """
            A line names the record by topic, partition and offset, the endpoint, the lane, the attempt, the time, the \
            status or the kind of failure, and the verdict with its reason. It has nothing of the record, the request or \
            the answer but the number of bytes. The log ends after so many calls; 0 ends it at once.
            """
    )

    @OptionGroup var admin: AdminOptions

    @Option(
        help: ArgumentHelp(
            "The calls of this lane only, as logs name it, and of lanes that begin with it and a slash.",
            valueName: "name"
        )
    )
    var lane: String?

    @Argument(help: "The number of calls, at most 1000.")
    var calls = 20

    func validate() throws {
        guard OperatorOrder.loggedCalls.contains(self.calls) else {
            throw ValidationError("The calls to log are 0 to \(OperatorOrder.loggedCalls.upperBound).")
        }
    }

    func carryOut(until wish: StopWish) throws {
        try self.admin.carryOut(.callLog(lane: self.lane, calls: self.calls), until: wish)
    }
}
