import Glibc
import ServiceLifecycle
import UnixSignals

/// Takes SIGHUP, which by default ends a process, and reports that it changes nothing.
package struct HangUp: Service {
    private let tell: @Sendable (_ notice: String) -> Void

    /// Ignores SIGHUP from here on, for as long as the process lives.
    ///
    /// - Parameter tell: Called with a sentence for every SIGHUP while the service runs.
    package init(_ tell: @escaping @Sendable (_ notice: String) -> Void) {
        Self.ignore()
        self.tell = tell
    }

    /// Runs until a graceful shutdown. SIGHUP stays ignored afterwards.
    package func run() async {
        for await _ in await UnixSignalsSequence(trapping: .sighup).cancelOnGracefulShutdown() {
            self.tell("SIGHUP is ignored: files of secrets are read when they change, all else at a restart")
        }
        Self.ignore()
    }

    private static func ignore() { _ = signal(SIGHUP, SIG_IGN) }
}
