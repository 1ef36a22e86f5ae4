import Fleet
import Glibc
import Harness
import Terminal

/// A program of the demo, and how it is called.
struct DemoProgram: Hashable {
    /// The name in the output and of its files.
    var name: String
    var program: String
    /// The arguments before `--config`.
    var command: [String]

    init(_ name: String, of program: String, command: [String]) {
        self.name = name
        self.program = program
        self.command = command
    }
}

/// The process of a program of the demo, with its log and its ports.
final class DemoProcess {
    let program: DemoProgram
    private let folder: TemporaryFolder
    /// The descriptor of the file for the log.
    private let log: Int32
    private(set) var child: CapturedProcess?
    /// The port of the health and metrics endpoint; nil until it was logged.
    private var port: String?
    /// The port at which the gateway takes requests; nil until it was logged, and for other programs.
    private(set) var listeningPort: String?
    /// Whether the log says that the program works.
    private var hasBegun = false

    init(_ program: DemoProgram, in folder: TemporaryFolder) throws {
        self.program = program
        self.folder = folder
        let path = folder.file("\(program.name).log")
        self.log = unsafe open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard self.log >= 0 else { throw Complaint("cannot write \(path): \(FileFailure.last().reason)") }
    }

    deinit { close(self.log) }

    var settingsName: String { "\(self.program.name).yaml" }

    var logPath: String { self.folder.file("\(self.program.name).log") }

    /// The folder for the program's record of its own crashes. It is deleted with the demo's folder.
    var crashFolder: String { self.folder.file("\(self.program.name).crashes") }

    /// Starts the process. Its settings must have been written.
    func start(on harness: Harness) throws {
        let path = try Sibling.path(of: self.program.program)
        // A worker does not know its parent. `flotilla-lab leash` ends it if the demo is killed.
        self.child = try harness.start(
            self.program.name,
            try Sibling.path(of: "flotilla-lab"),
            arguments: ["leash", "--", path] + self.program.command
                + ["--config", self.folder.file(self.settingsName)]
        ) { [weak self] line in
            self?.noted(line)
        }
    }

    /// The log messages that show that a program works: `assigned` from the engine of calls, `took up
    /// partitions` from the engine of states, `listening` from the gateway.
    private static let wordsOfReadiness: Set = ["assigned", "took up partitions", "listening"]

    /// Writes a line of standard error to the log, and looks for ports and for the begin of the work.
    private func noted(_ line: String) {
        Console.write(Array("\(line)\n".utf8), to: self.log)
        guard let event = WorkerEvent(line) else { return }
        if event.message == "health and metrics" { self.port = event.port }
        if event.message == "listening" { self.listeningPort = event.port }
        if Self.wordsOfReadiness.contains(event.message) { self.hasBegun = true }
    }

    /// Whether the program works and its metrics can be read.
    var isReady: Bool { self.hasBegun && self.port != nil }

    /// The address of health and metrics.
    var address: String { "http://127.0.0.1:\(self.port ?? "0")" }
}
