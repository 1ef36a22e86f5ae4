import EventThread
import Glibc
import Synchronization
import UnixSignals

/// The wish that this program ends: made by a signal, heard by the thread that waits.
package final class StopWish: Sendable {
    private let bell = Doorbell()
    private let times = Atomic(0)

    /// Readable when the wish has been made.
    package var descriptor: Int32 { self.bell.descriptor }

    /// How often it has been made. Whoever asks twice does not want to wait.
    package var count: Int {
        self.bell.answer()
        return self.times.load(ordering: .acquiring)
    }

    private func make() {
        self.times.wrappingAdd(1, ordering: .acquiringAndReleasing)
        self.bell.ring()
    }

    /// Runs a body on a thread of its own, while SIGINT, SIGTERM and SIGHUP end nothing by themselves.
    ///
    /// SIGHUP is a wish to stop where this program was started at a terminal, which is gone then. It is ignored
    /// otherwise.
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
