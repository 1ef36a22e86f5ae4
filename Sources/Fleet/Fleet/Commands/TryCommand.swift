import ArgumentParser
import Terminal

/// `fleet try`: shows a worker's first record, from nothing to its result, on this machine.
///
/// The broker and the simulators belong to the lab, which no production program links. This process becomes
/// `flotilla-lab try`.
struct TryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "try",
        abstract: "Try a worker on this machine, from an empty folder to the first result.",
        discussion: """
            Starts a broker in memory, a simulator of what the worker calls, and the worker; publishes a sample and \
            waits for its result. Each command is printed before it is carried out, and the output as a whole is a \
            script that a shell can run. Keys and settings are in a folder of this run, which is removed at the end, \
            when all that was started is stopped. Exit code 0 only if the result came. It needs flotilla-lab and the \
            worker beside this program or on PATH.
            """
    )

    @OptionGroup var options: TryOptions

    func run() async throws {
        try await self.complaining {
            throw Spawn.become(try Sibling.path(of: "flotilla-lab"), ["try"] + self.options.words)
        }
    }
}
