import ArgumentParser
import ServiceKit
import Terminal

/// `fleet admin drain`: ends a worker in good order.
struct AdminDrainCommand: WaitingCommand {
    static let configuration = CommandConfiguration(
        commandName: "drain",
        abstract: "Drain, commit, leave the group and end, as SIGTERM does."
    )

    @OptionGroup var admin: AdminOptions

    func carryOut(until wish: StopWish) throws { try self.admin.carryOut(.drain, until: wish) }
}
