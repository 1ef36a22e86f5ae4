import EventThread
import Glibc
import Synchronization
import UnixSignals

/// The user's request to stop this program: made by a signal, and read by the thread that does the work.
package final class StopWish: Sendable {
    private let bell = Doorbell()
    private let times = Atomic(0)

    /// A descriptor that is readable once a stop was requested. Reading `count` clears it.
    package var descriptor: Int32 { self.bell.descriptor }

    /// The number of stop requests so far. A user who makes a second one does not want to wait.
    package var count: Int {
        self.bell.answer()
        return self.times.load(ordering: .acquiring)
    }

    /// Notes a request, and wakes the thread that waits on `descriptor`.
    private func make() {
        self.times.wrappingAdd(1, ordering: .acquiringAndReleasing)
        self.bell.ring()
    }

    /// Runs a body on a thread of its own. SIGINT, SIGTERM and SIGHUP become stop requests meanwhile, and end
    /// nothing by themselves.
    ///
    /// SIGHUP is a stop request only if the program was started at a terminal, because that terminal is gone
    /// then. Otherwise it is ignored.
    ///
    /// - Throws: the error of `body`.
    package static func heard<Result: Sendable>(
        by body: @escaping @Sendable (StopWish) throws -> Result
    ) async throws -> Result {
        let wish = StopWish()
        let hasTerminal = isatty(STDIN_FILENO) == 1
        let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm, .sighup)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for await signal in signals {
                    if signal == .sighup, !hasTerminal {
                        Console.complain("\(Console.program): SIGHUP is ignored")
                    } else {
                        wish.make()
                    }
                }
            }
            defer { group.cancelAll() }
            return try await EventThread.run { try body(wish) }
        }
    }
}
