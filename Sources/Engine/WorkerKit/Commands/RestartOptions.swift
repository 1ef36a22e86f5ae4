package import ArgumentParser
import Cryptography
import Foundation
import Glibc
import Logging
import Operations
import ServiceKit
import Terminal

/// The option `--restarts`, which every `run` has: how often the worker is started again after a crash.
package struct RestartOptions: ParsableArguments {
    /// The restarts in a container by default. A record that kills the worker takes two, and there may be
    /// several of them.
    private static let usualInContainer = 10

    @Option(
        help: ArgumentHelp(
            "Start again after a crash, at most so many times in a row.",
            discussion: """
                A crash is an end by a signal; an end with an exit code is passed on. 10 by default where this is \
                process 1, as in a container, and 0 elsewhere. Ten minutes without a crash are a new beginning.
                """,
            valueName: "times"
        )
    )
    package var restarts: Int?

    /// The number of the leash, a descriptor that only the supervisor gives to its child. When the other end
    /// of the leash is closed, the child ends. A child with a leash starts no child of its own.
    @Option(help: .hidden)
    var leash: Int32?

    package init() {}

    package func validate() throws {
        guard self.restarts ?? 0 >= 0 else { throw ValidationError("--restarts is at least 0.") }
    }

    /// Supervises a child that does the work, if there are to be restarts, and throws the exit code to end
    /// with. Returns at once where this process is to do the work.
    ///
    /// - Parameter identity: The name of the worker in the log.
    /// - Throws: `ExitCode` when the child has ended for good.
    package func superviseIfAsked(identity: String) throws {
        if let leash = self.leash { return Self.end(with: leash) }
        let restarts = self.restarts ?? (getpid() == 1 ? Self.usualInContainer : 0)
        guard restarts > 0 else { return }
        let supervisor = Supervisor(
            try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"),
            calledAs: CommandLine.arguments.first ?? identity,
            CommandLine.arguments.dropFirst() + ["--leash", "\(Supervisor.leash)"],
            environment: ProcessInfo.processInfo.environment.map { "\($0.key)=\($0.value)" },
            restarts: restarts,
            logger: Self.logger(identity)
        )
        do {
            throw ExitCode(try supervisor.run())
        } catch let failure as Complaint {
            StandardStreams.complain("\(identity): \(failure)")
            throw ExitCode(1)
        }
    }

    /// Stops this process as SIGTERM does when its supervisor has ended, for whatever reason.
    private static func end(with leash: Int32) {
        _ = fcntl(leash, F_SETFD, FD_CLOEXEC)
        Thread.detachNewThread {
            var byte: UInt8 = 0
            // The supervisor never writes to the leash, so the read ends only when the supervisor has ended.
            while unsafe read(leash, &byte, 1) < 0, errno == EINTR {}
            kill(getpid(), SIGTERM)
        }
    }

    /// Returns a logger that logs as workers do by default, because only the child reads the settings.
    private static func logger(_ identity: String) -> Logger {
        let redaction = Redaction { key, bytes in MessageAuthentication(key: key)(bytes) }
        return Logger(label: identity) { StructuredLogHandler(label: $0, redaction: redaction) }
    }
}
