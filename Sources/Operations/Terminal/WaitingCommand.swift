package import ArgumentParser

/// A command that waits for a cluster or a process. It runs on a thread of its own until its work is done or
/// a signal asks it to stop.
package protocol WaitingCommand: AsyncParsableCommand, Sendable {
    /// Does the work; may block the thread. `wish` tells when to stop.
    ///
    /// - Throws: an `ExitCode` to end with it. Any other error is shown as one line, and the program ends
    ///   with 1 or with the error's own code.
    func carryOut(until wish: StopWish) throws
}

extension WaitingCommand {
    /// Runs `carryOut(until:)` on a thread of its own, as the argument parser asks for it.
    package func run() async throws {
        try await self.complaining {
            try await StopWish.heard { wish in try self.carryOut(until: wish) }
        }
    }
}
