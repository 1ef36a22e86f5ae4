import ArgumentParser
import ServiceKit
import Terminal

/// `fleet admin concurrency`: bounds the calls in flight.
struct AdminConcurrencyCommand: WaitingCommand {
    static let configuration = CommandConfiguration(
        commandName: "concurrency",
        abstract:
            "Bound the calls in flight, up to worker.concurrency; without a number, take the bound back."
    )

    @OptionGroup var admin: AdminOptions

    @Argument(help: "The largest number of calls in flight.")
    var calls: Int?

    func carryOut(until wish: StopWish) throws {
        try self.admin.carryOut(.concurrency(self.calls), until: wish)
    }
}
