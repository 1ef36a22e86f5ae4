package import ArgumentParser
package import ServiceKit

/// The arguments of `fleet try`, which are those of `flotilla-lab try`: the first becomes the second.
package struct TryOptions: ParsableArguments {
    @Argument(
        help: "The worker: \(Roster.workers.map(\.topic).joined(separator: ", ")).",
        completion: .list(Roster.workers.map(\.topic))
    )
    package var worker: String

    @Flag(help: "Leave everything running until Ctrl-C.")
    package var keep = false

    package init() {}

    package func validate() throws { _ = try self.identity }

    /// The worker that is meant: by its topic, or by its program.
    ///
    /// - Throws: `ValidationError` with the names that there are.
    package var identity: WorkerIdentity {
        get throws {
            let named = Roster.workers.first { [$0.topic, $0.name].contains(self.worker) }
            if let named { return named }
            let names = Roster.workers.map(\.topic).joined(separator: ", ")
            throw ValidationError("No worker is called '\(self.worker)'; there are: \(names).")
        }
    }

    /// The arguments as words of a command line.
    package var words: [String] { [self.worker] + (self.keep ? ["--keep"] : []) }
}
