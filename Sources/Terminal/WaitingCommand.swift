package import ArgumentParser

/// A command that waits for a cluster or a process, on a thread of its own, until its work is done or a signal wishes
/// that it end.
package protocol WaitingCommand: AsyncParsableCommand, Sendable {
    /// Does the work.
    ///
    /// - Throws: an `ExitCode` to end with it; anything else is shown as one line, and ends with 1 or with its own code.
    func carryOut(until wish: StopWish) throws
}

extension WaitingCommand {
    package func run() async throws {
        try await self.complaining {
            try await StopWish.heard { wish in try self.carryOut(until: wish) }
        }
    }
}
