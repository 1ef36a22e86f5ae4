import ArgumentParser
import ServiceKit
import Terminal

/// `fleet admin release`: tries at once what waits.
struct AdminReleaseCommand: WaitingCommand {
    static let configuration = CommandConfiguration(
        commandName: "release",
        abstract:
            "Try at once what waits for a held lane or an open circuit breaker, parked records included.",
        discussion: """
            Each held lane and each open circuit breaker gets its next probe now. When a probe is answered, what waits \
            goes on.
            """
    )

    @OptionGroup var admin: AdminOptions

    func carryOut(until wish: StopWish) throws { try self.admin.carryOut(.release, until: wish) }
}
