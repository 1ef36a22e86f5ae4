import ArgumentParser
import ServiceKit
import Terminal

/// `fleet admin status`: shows how a running worker is.
struct AdminStatusCommand: WaitingCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show whether the worker is ready, and what an operator has chosen."
    )

    @OptionGroup var admin: AdminOptions

    func carryOut(until wish: StopWish) throws { try self.admin.carryOut(nil, until: wish) }
}
