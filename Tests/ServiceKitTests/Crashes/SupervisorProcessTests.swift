import Glibc
import Logging
import Testing

@testable import ServiceKit

/// The supervisor in a process of its own, with small shell scripts for a worker.
@Suite(.timeLimit(.minutes(10)))
struct SupervisorProcessTests {
    /// Ends this process as the supervisor of such a script would.
    private static func supervise(
        _ script: String,
        restarts: Int,
        log: any LogHandler = SwiftLogNoOpLogHandler()
    )
        throws -> Never
    {
        let supervisor = Supervisor(
            "/bin/sh",
            calledAs: "worker",
            ["-c", script],
            environment: ["PATH=/usr/bin:/bin"],
            restarts: restarts,
            logger: Logger(label: "test") { _ in log }
        )
        exit(try supervisor.run())
    }

    @Test func anExitCodeIsPassedOnWithoutARestart() async {
        await #expect(processExitsWith: .exitCode(7)) {
            try Self.supervise("exit 7", restarts: 3, log: SignallingLog(SIGKILL))
        }
    }

    @Test func theProgramIsCalledByItsName() async {
        await #expect(processExitsWith: .exitCode(7)) {
            try Self.supervise("[ $0 = worker ] && exit 7", restarts: 1)
        }
    }

    @Test func endsAsTheWorkerDidWhenNoRestartIsLeft() async {
        await #expect(processExitsWith: .exitCode(128 + SIGSEGV)) {
            try Self.supervise("kill -SEGV $$", restarts: 1)
        }
    }

    @Test func aStopReachesTheWorker() async {
        await #expect(processExitsWith: .exitCode(9)) {
            let script = "sleep 600 & trap \"kill $!; exit 9\" TERM; kill -TERM $PPID; wait"
            try Self.supervise(script, restarts: 3)
        }
    }

    @Test func aWorkerThatDiesOfItsStopIsNotStartedAgain() async {
        await #expect(processExitsWith: .exitCode(128 + SIGINT)) {
            try Self.supervise("kill -INT $PPID; exec sleep 600", restarts: 3, log: SignallingLog(SIGKILL))
        }
    }

    @Test func aStopBetweenTwoLivesIsACompleteStop() async {
        await #expect(processExitsWith: .exitCode(0)) {
            try Self.supervise("kill -SEGV $$", restarts: 1, log: SignallingLog(SIGTERM))
        }
    }

    @Test func aHangUpBetweenTwoLivesChangesNothing() async {
        await #expect(processExitsWith: .exitCode(128 + SIGSEGV)) {
            try Self.supervise("kill -SEGV $$", restarts: 1, log: SignallingLog(SIGHUP))
        }
    }
}

/// Sends its process a signal with every line: the supervisor writes one when the worker has crashed.
private struct SignallingLog: LogHandler {
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace
    private let signal: Int32

    init(_ signal: Int32) { self.signal = signal }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { self.metadata[key] }
        set { self.metadata[key] = newValue }
    }

    func log(event: LogEvent) { kill(getpid(), self.signal) }
}
