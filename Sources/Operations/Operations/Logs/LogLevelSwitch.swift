package import Logging
import Synchronization

/// The level of a process's log, which can change while the process runs.
package final class LogLevelSwitch: Sendable {
    private let current: Mutex<Logger.Level>

    package init(_ level: Logger.Level) { self.current = Mutex(level) }

    /// The lowest level that is written.
    package var level: Logger.Level {
        get { self.current.withLock { $0 } }
        set { self.current.withLock { $0 = newValue } }
    }
}
