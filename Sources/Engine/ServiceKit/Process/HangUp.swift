import Glibc
import ServiceLifecycle
import UnixSignals

/// Takes SIGHUP, which by default ends a process.
package struct HangUp: Service {
    private let hungUp: @Sendable () -> Void

    /// Ignores SIGHUP from here on, for as long as the process lives.
    ///
    /// - Parameter hungUp: Called for every SIGHUP while the service runs.
    package init(_ hungUp: @escaping @Sendable () -> Void) {
        Self.ignore()
        self.hungUp = hungUp
    }

    /// Runs until a graceful shutdown. SIGHUP stays ignored afterwards.
    package func run() async {
        for await _ in await UnixSignalsSequence(trapping: .sighup).cancelOnGracefulShutdown() {
            self.hungUp()
        }
        Self.ignore()
    }

    private static func ignore() { _ = signal(SIGHUP, SIG_IGN) }
}
