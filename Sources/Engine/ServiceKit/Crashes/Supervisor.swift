import Glibc
package import Logging
package import Terminal

/// Runs a program as a child process, and starts it again in place when a crash has ended it.
///
/// A record that kills the worker is found by a later start that reads the same crash folder. In a container
/// without a volume the folder is lost with the container, so the next start has to happen in the same
/// container. The supervisor stays small so that nothing can end it but what ends the whole container: it
/// opens no socket and reads no setting.
package struct Supervisor {
    /// The number of the leash in the child: a pipe whose other end is open as long as the supervisor runs.
    package static let leash: Int32 = 3
    /// The signals that ask the child to drain, commit and end. SIGHUP is passed on too, and changes nothing
    /// in the child.
    private static let stopSignals = [SIGTERM, SIGINT]

    private let program: String
    private let name: String
    private let arguments: [String]
    private let environment: [String]
    private var policy: RestartPolicy
    private let logger: Logger

    /// - Parameters:
    ///   - program: The path of the program.
    ///   - name: The name by which the program is called. A file that holds several programs is the one of this name.
    ///   - environment: The environment of the child, as `name=value`.
    ///   - restarts: The number of restarts in a row.
    package init(
        _ program: String,
        calledAs name: String,
        _ arguments: [String],
        environment: [String],
        restarts: Int,
        logger: Logger
    ) {
        self.program = program
        self.name = name
        self.arguments = arguments
        self.environment = environment
        self.policy = RestartPolicy(limit: restarts)
        self.logger = logger
    }

    /// Runs until the program has ended for good.
    ///
    /// - Returns: The exit code to end with. It is 0 if a stop was requested in the pause before a restart.
    /// - Throws: `Complaint` if the program cannot be started.
    package consuming func run() throws(Complaint) -> Int32 {
        // A log that nobody reads must not end the supervisor.
        _ = signal(SIGPIPE, SIG_IGN)
        let signals = SignalQueue(Self.stopSignals + [SIGHUP, SIGCHLD])
        while true {
            let start = ContinuousClock.now
            let (end, isStopping) = try self.runOnce(signals)
            switch self.policy.ended(end, after: .now - start, isStopping: isStopping) {
            case .exit(let code):
                if case .signal = end, !isStopping { self.tell(end, "and no restart is left") }
                return code
            case .restart(let pause, let left):
                let remaining = left == 1 ? "1 restart is" : "\(left) restarts are"
                self.tell(end, "and starts again in \(pause.components.seconds) s; \(remaining) left")
                guard Self.pause(pause, signals) else { return 0 }
            }
        }
    }

    /// Runs the program once, from its start to its end.
    ///
    /// - Returns: How the program ended, and whether it had been asked to stop.
    private func runOnce(_ signals: SignalQueue) throws(Complaint) -> (end: ProcessEnd, isStopping: Bool) {
        let leash = try Spawn.pipe()
        defer { close(leash.writeEnd) }
        // The child has a process group of its own, so that a Ctrl-C at the terminal reaches it once, through
        // the supervisor.
        var spawn = Spawn(
            self.program,
            self.arguments,
            environment: self.environment,
            name: self.name,
            startsGroup: true
        )
        spawn.give(leash.readEnd, as: Self.leash)
        let child = try spawn.run()
        var isStopping = false
        while true {
            for number in signals.take() where number != SIGCHLD {
                kill(child, number)
                if Self.stopSignals.contains(number) { isStopping = true }
            }
            if let end = Self.reap(child) { return (end, isStopping) }
            signals.wait(atMost: .seconds(3_600))
        }
    }

    /// Takes note of every child that has ended. Process 1 inherits the orphans of its container.
    ///
    /// - Returns: How this child has ended; nil if it still runs.
    private static func reap(_ child: Int32) -> ProcessEnd? {
        var status: Int32 = 0
        while case let ended = unsafe waitpid(-1, &status, WNOHANG), ended > 0 {
            if ended == child { return ProcessEnd(status: status) }
        }
        return nil
    }

    /// Waits before a restart.
    ///
    /// - Returns: Whether the time has passed without a request to stop.
    private static func pause(_ pause: Duration, _ signals: SignalQueue) -> Bool {
        let deadline = ContinuousClock.now + pause
        while case let rest = deadline - .now, rest > .zero {
            signals.wait(atMost: rest)
            if signals.take().contains(where: Self.stopSignals.contains) { return false }
        }
        return true
    }

    private func tell(_ end: ProcessEnd, _ consequence: String) {
        guard case .signal(let number) = end else { return }
        let name = unsafe strsignal(number).map { unsafe String(cString: $0) } ?? "signal \(number)"
        self.logger.error(
            "the worker has crashed, \(consequence)",
            metadata: ["signal": "\(number)", "name": "\(name)"]
        )
    }
}
