import ArgumentParser
import Harness
import Rehearsal
import Terminal

/// `flotilla-lab demo`: runs the whole fleet on this machine, and shows the outcome of every kind of record.
struct DemoCommand: WaitingCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract:
            "Run broker, upstreams and all workers, publish every kind of record, and check what became of each.",
        discussion: """
            Nothing but this machine is needed. The exit code is 0 only if every record that was published is \
            accounted for exactly as expected and every worker has drained and ended with 0.
            """
    )

    @Flag(help: "Leave everything running until Ctrl-C, and print the addresses.")
    var keep = false

    func carryOut(until wish: StopWish) throws {
        let code = Demo(keeps: self.keep, wish).run()
        guard code == 0 else { throw ExitCode(code) }
    }
}
