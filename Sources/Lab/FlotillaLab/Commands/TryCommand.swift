import ArgumentParser
import Fleet
import Rehearsal
import ServiceKit
import Terminal

/// `flotilla-lab try`: shows a worker's first record; `fleet try` becomes this.
struct TryCommand: WaitingCommand {
    static let configuration = CommandConfiguration(
        commandName: "try",
        abstract: "Try a worker on this machine, from an empty folder to the first result, as 'fleet try'."
    )

    @OptionGroup var options: TryOptions

    func carryOut(until wish: StopWish) throws {
        let worker = try self.options.identity
        guard let plan = TryPlan(worker) else { throw Complaint("\(worker.name) has no sample to try") }
        throw ExitCode(TryRun(plan, keeps: self.options.keep, wish).run())
    }
}
