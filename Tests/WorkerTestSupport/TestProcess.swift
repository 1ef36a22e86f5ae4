package import Foundation
import Glibc
import Synchronization
import Terminal

/// A program that a test has started, which ends at the latest with this object.
package final class TestProcess: Sendable {
    package let id: Int32
    private let end = Mutex<ProcessEnd?>(nil)

    /// - Parameters:
    ///   - program: its path, or a name that is looked up in `PATH`.
    ///   - environment: this process's own by default.
    ///   - input: what the child reads; nothing by default.
    ///   - output: where the child writes, and with `error` its errors; nowhere by default. A pipe's end for writing is
    ///     closed here once the child has it, so that the pipe ends with the child.
    package init(
        _ program: String,
        _ arguments: [String],
        environment: [String: String] = ProcessInfo.processInfo.environment,
        input: Stream = .null,
        output: Stream = .null,
        error: Stream = .null
    ) throws {
        let isPath = program.contains("/")
        var spawn = Spawn(
            isPath ? program : "/usr/bin/env",
            isPath ? arguments : [program] + arguments,
            environment: environment.map { "\($0.key)=\($0.value)" }
        )
        spawn.give(try input.copy(for: O_RDONLY), as: STDIN_FILENO)
        spawn.give(try output.copy(for: O_WRONLY), as: STDOUT_FILENO)
        spawn.give(try error.copy(for: O_WRONLY), as: STDERR_FILENO)
        self.id = try spawn.run()
        if case .pipe(let pipe) = output { try pipe.fileHandleForWriting.close() }
        if case .pipe(let pipe) = error, !error.isTheSame(as: output) {
            try pipe.fileHandleForWriting.close()
        }
        if case .pipe(let pipe) = input { try pipe.fileHandleForReading.close() }
    }

    /// The place of one of the child's standard streams.
    package enum Stream {
        case null
        case pipe(Pipe)
        case file(FileHandle)

        fileprivate func isTheSame(as other: Stream) -> Bool {
            if case (.pipe(let one), .pipe(let two)) = (self, other) { one === two } else { false }
        }

        fileprivate func copy(for mode: Int32) throws -> Int32 {
            let copy =
                switch self {
                case .null: unsafe open("/dev/null", mode | O_CLOEXEC)
                case .file(let file): fcntl(file.fileDescriptor, F_DUPFD_CLOEXEC, 0)
                case .pipe(let pipe):
                    fcntl(
                        (mode == O_RDONLY ? pipe.fileHandleForReading : pipe.fileHandleForWriting)
                            .fileDescriptor,
                        F_DUPFD_CLOEXEC,
                        0
                    )
                }
            guard copy >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EMFILE) }
            return copy
        }
    }

    deinit {
        self.send(SIGKILL)
        _ = self.wait()
    }

    package var isRunning: Bool { self.ended(WNOHANG) == nil }

    /// Sends a signal, unless the process has ended.
    package func send(_ signal: Int32) {
        self.end.withLock { if $0 == nil { _ = kill(self.id, signal) } }
    }

    /// Waits for the end of the process.
    ///
    /// - Returns: its exit code, or 128 and the signal that ended it.
    @discardableResult
    package func wait() -> Int32 {
        // Not under the lock, and without taking note: who sends a signal meanwhile still finds the process.
        var info = unsafe siginfo_t()
        while unsafe waitid(P_PID, id_t(self.id), &info, WEXITED | WNOWAIT) != 0, errno == EINTR {}
        return (self.ended(0) ?? .code(1)).shellCode
    }

    private func ended(_ options: Int32) -> ProcessEnd? {
        self.end.withLock { end in
            var status: Int32 = 0
            if end == nil, unsafe waitpid(self.id, &status, options) == self.id {
                end = ProcessEnd(status: status)
            }
            return end
        }
    }
}
