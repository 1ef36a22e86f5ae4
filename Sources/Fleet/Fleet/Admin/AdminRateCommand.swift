import ArgumentParser
import ServiceKit
import Terminal

/// `fleet admin rate`: sets the calls a second.
struct AdminRateCommand: WaitingCommand {
    static let configuration = CommandConfiguration(
        commandName: "rate",
        abstract: "Set the calls a second of the whole fleet; without a number, take rate.per_second again.",
        discussion: """
            The worker makes its share of them, which is that of its partitions. Give the order to each worker of the fleet.
            """
    )

    @OptionGroup var admin: AdminOptions

    @Argument(help: "Calls a second of the whole fleet, from 0.01.")
    var rate: Double?

    func validate() throws {
        guard self.rate.map({ OperatorOrder.rates.contains($0) }) ?? true else {
            throw ValidationError("A rate is from 0.01 to 1000000 calls a second.")
        }
    }

    func carryOut(until wish: StopWish) throws { try self.admin.carryOut(.rate(self.rate), until: wish) }
}
