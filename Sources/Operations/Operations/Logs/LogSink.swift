import Glibc
import Synchronization

/// The destination of finished log lines, each with its line feed.
package struct LogSink: Sendable {
    /// Writes one line. Any thread may call it.
    package let write: @Sendable (_ line: [UInt8]) -> Void

    /// Makes a sink that passes each line to a closure.
    package init(write: @escaping @Sendable (_ line: [UInt8]) -> Void) {
        self.write = write
    }

    /// The standard error stream. Each line is written alone, under a lock: the kernel keeps writes to a pipe
    /// apart only up to 4 KiB.
    package static let standardError: LogSink = {
        let turn = TurnTaking()
        return LogSink { line in turn.write(line) }
    }()
}

private final class TurnTaking: Sendable {
    private let lock = Mutex(())

    func write(_ line: [UInt8]) {
        self.lock.withLock { _ in
            var rest = line[...]
            while !rest.isEmpty {
                let written = unsafe rest.withUnsafeBytes { unsafe Glibc.write(2, $0.baseAddress, $0.count) }
                if written > 0 {
                    rest = rest.dropFirst(written)
                } else if errno != EINTR {
                    // No process reads standard error any more, or the pipe is full. A log must not stop the
                    // worker, so the rest of the line is dropped.
                    return
                }
            }
        }
    }
}
