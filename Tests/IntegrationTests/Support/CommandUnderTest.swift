import Foundation
import WorkerTestSupport

/// A `flotilla-lab` as a process, or a `fleet`, and everybody that it has started: they are known by its temporary folder in `TMPDIR`.
final class CommandUnderTest {
    private let process: TestProcess
    private let output: ProcessOutput
    private let folder: TemporaryFolder

    init(_ arguments: [String], of program: String = "flotilla-lab") throws {
        self.folder = try TemporaryFolder()
        self.output = try ProcessOutput()
        self.process = try TestProcess(
            try WorkerUnderTest.path(of: program),
            arguments,
            environment: ProcessInfo.processInfo.environment.merging(["TMPDIR": self.folder.path]) { $1 },
            output: .pipe(self.output.pipe),
            error: .pipe(self.output.pipe)
        )
    }

    deinit {
        self.process.send(SIGKILL)
        for survivor in self.started { kill(survivor, SIGKILL) }
    }

    var isRunning: Bool { self.process.isRunning }

    func send(_ signal: Int32) { self.process.send(signal) }

    /// Waits until the process has ended and all that it wrote has been read. Processes that it has started may hold its
    /// output open for longer, so this wait has a limit.
    func exitStatus() -> Int32 {
        let status = self.process.wait()
        _ = self.output.waitForEnd(atMost: .seconds(5))
        return status
    }

    func waitForWorker() -> pid_t? { self.waitFor("activation-worker", "run") }

    /// The id of a process with this program and command once it runs.
    func waitFor(_ program: String, _ command: String) -> pid_t? {
        var found: pid_t?
        _ = Self.wait(atMost: .patience) {
            found = self.started.first { pid in
                let words = Self.words(of: pid).prefix(2)
                return words.first?.hasSuffix("/\(program)") == true && words.last == command
            }
            return found != nil
        }
        return found
    }

    /// The output so far.
    var text: String { self.output.text }

    func waitForLine(_ words: String) -> Bool { self.output.wait(for: words) }

    /// Waits until a process with these first words on its command line stands still, as after SIGSTOP.
    ///
    /// - Returns: false if none does within the time that a busy machine may take.
    func waitForStandstill(_ program: String, _ command: String) -> Bool {
        Self.wait(atMost: .patience) { self.states(program, command).contains("T") }
    }

    /// The states of the processes with these first words on their command lines, as letters of `/proc/PID/stat`.
    func states(_ program: String, _ command: String) -> [String] {
        self.started.filter { pid in
            let words = Self.words(of: pid)
            return words.first?.hasSuffix("/\(program)") == true && words.dropFirst().first == command
        }.compactMap { pid in
            let stat = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)
            // The name of the program stands in brackets before the state.
            return stat?.split(separator: ")").last?.split(separator: " ").first.map(String.init)
        }
    }

    /// The processes that it started and that are still there once a busy machine has had time to end them.
    func survivors() -> [String] {
        _ = Self.wait(atMost: .patience) { self.started.isEmpty }
        return self.started.map { Self.words(of: $0).joined(separator: " ") }
    }

    /// The contents of its temporary folder.
    var leftovers: [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: self.folder.path)) ?? ["no folder at all"]
    }

    /// The path of something in its temporary folder.
    func file(_ name: String) -> String { self.folder.file(name).path }

    /// Processes with our folder in their environment, which children inherit, save itself.
    private var started: [pid_t] {
        let entries = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return entries.compactMap { pid_t($0) }.filter { pid in
            pid != self.process.id && !Self.words(of: pid).isEmpty
                && Self.strings("/proc/\(pid)/environ").contains("TMPDIR=\(self.folder.path)")
        }
    }

    /// The command line; empty for a process that has ended and was not reaped.
    private static func words(of pid: pid_t) -> [String] { self.strings("/proc/\(pid)/cmdline") }

    private static func strings(_ path: String) -> [String] {
        let bytes = FileManager.default.contents(atPath: path) ?? Data()
        return bytes.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Nothing tells of the end of a process that is not ours, so this looks again and again.
    private static func wait(atMost longest: Duration, until holds: () -> Bool) -> Bool {
        let deadline = ContinuousClock.now + longest
        while !holds() {
            guard ContinuousClock.now < deadline else { return false }
            _ = poll(nil, 0, 50)
        }
        return true
    }
}
