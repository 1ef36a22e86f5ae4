import Glibc
import Synchronization

/// Takes finished lines, each with its line feed.
package struct LogSink: Sendable {
    package let write: @Sendable (_ line: [UInt8]) -> Void

    package init(write: @escaping @Sendable (_ line: [UInt8]) -> Void) {
        self.write = write
    }

    /// Standard error. One `write` per line, and one line at a time: a pipe takes only 4 KiB without interleaving.
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
                    // Nobody reads standard error any more, or the pipe is full: a log must not stop the worker.
                    return
                }
            }
        }
    }
}
