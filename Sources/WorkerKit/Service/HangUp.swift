import Glibc
import ServiceLifecycle
import UnixSignals

/// Takes SIGHUP, which ends a process by default, and says that it changes nothing.
package struct HangUp: Service {
    private let tell: @Sendable (_ notice: String) -> Void

    /// From here on SIGHUP ends nothing, for as long as the process lives.
    ///
    /// - Parameter tell: gets a sentence for every SIGHUP while the service runs.
    package init(_ tell: @escaping @Sendable (_ notice: String) -> Void) {
        Self.ignore()
        self.tell = tell
    }

    package func run() async {
        for await _ in await UnixSignalsSequence(trapping: .sighup).cancelOnGracefulShutdown() {
            self.tell("SIGHUP is ignored: files with keys are read when they change, all else at a restart")
        }
        Self.ignore()
    }

    private static func ignore() { _ = signal(SIGHUP, SIG_IGN) }
}
