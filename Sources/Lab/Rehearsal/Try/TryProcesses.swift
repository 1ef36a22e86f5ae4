import Fleet
import Foundation
import Harness
import ServiceKit
import Terminal
import UpstreamHTTP

/// The processes of a run of `flotilla-lab try`, and the output that shows how each came about. The output is a
/// script for a shell: everything that is no command is a comment.
final class TryProcesses {
    private let plan: TryPlan
    private let folder: TemporaryFolder
    private let harness: Harness
    private let worker: DemoProcess
    /// The variables that the commands need, as assignments.
    private var variables: [String] = []
    private var steps = 0
    /// The command that runs at the moment.
    private var command: CapturedProcess?

    init(_ plan: TryPlan, in folder: TemporaryFolder, on harness: Harness) throws {
        self.plan = plan
        self.folder = folder
        self.harness = harness
        self.worker = try DemoProcess(
            DemoProgram(plan.worker.name, of: plan.worker.name, command: ["run"]),
            in: folder
        )
    }

    // MARK: - Output

    /// Begins a step.
    func title(_ text: String) {
        self.steps += 1
        self.harness.screen.line("\n# \(self.steps). \(text)", .bold)
    }

    /// Shows a result, as a comment.
    func tell(_ text: String, _ ink: Ink = .dim) { self.harness.screen.line("#    \(text)", ink) }

    private func show(_ command: String) { self.harness.screen.line(command) }

    // MARK: - Steps

    /// Shows where the commands run.
    func open() throws {
        self.harness.screen.line(
            "# A try of \(self.plan.worker.name): each command, and what came of it.",
            .bold
        )
        self.variables = [try Self.path()]
        if let path = self.variables.first { self.show("export \(path)") }
        self.show("cd \"$(mktemp -d)\" && umask 077")
        self.tell("\(self.folder.path), which is removed at the end")
        // A program that is not there is told of before anything is started.
        for name in ["flotilla-lab", "fleet", self.plan.worker.name] { _ = try Sibling.path(of: name) }
    }

    /// The assignment that lets a shell find the programs beside this one.
    private static func path() throws -> String { "PATH=\(self.quoted(try Sibling.folder)):\"$PATH\"" }

    /// Starts the broker, and waits for its address.
    func startBroker() throws {
        self.title("A Kafka broker in memory, with the topics of all workers.")
        let command = "flotilla-lab broker --kind embedded"
        try self.serve("the broker", command, of: "BROKERS", line: 1, file: "broker")
    }

    /// Makes the keys, starts the simulator, and waits for its URL.
    func startUpstream(_ upstream: TryPlan.Upstream) throws {
        self.title("Keys of this run, and a simulator of \(upstream.name) that knows them.")
        try self.carryOut(upstream.files.joined(separator: "\n"))
        try self.serve(
            "the simulator",
            self.plan.upstreamCommand,
            of: "UPSTREAM",
            line: upstream.line,
            file: "upstreams"
        )
    }

    /// Starts a server, and waits for the line with its address.
    private func serve(_ role: String, _ command: String, of variable: String, line: Int, file: String) throws
    {
        self.show(
            """
            \(command) > \(file).txt 2> \(file).log &
            until [ "$(wc -l < \(file).txt)" -ge \(line) ]; do sleep 0.1; done
            export \(variable)="$(sed -n \(line)p \(file).txt)"
            """
        )
        // The server replaces the shell, and ends with this process at the latest.
        let child = try self.start(role, "exec \(command) --until-stdin-closes", mayEnd: false)
        try self.harness.turn { child.firstLines.count >= line }
        let address = child.firstLines[line - 1]
        self.variables.append("\(variable)=\(Self.quoted(address))")
        self.tell(address)
    }

    /// Writes the settings, starts the worker, and waits until it is ready.
    func startWorker() throws {
        self.title("The worker.")
        try self.carryOut(self.plan.settingsScript)
        let name = self.plan.worker.name
        self.show("\(name) run --config \(self.plan.settingsName) 2> \(name).log &")
        try self.worker.start(on: self.harness)
        try self.harness.turn { self.worker.isReady }
        var probe = Probe(request: HTTPRequest(method: .get, url: "\(self.worker.address)/readyz"))
        while true {
            try self.harness.turn()
            if case .success(let response)? = probe.turn(self.harness), response.status == 200 { break }
        }
        self.tell("ready: \(self.worker.address)/readyz")
    }

    /// Shows commands, carries them out in the folder, and shows their output.
    ///
    /// - Returns: the lines of standard output, at most ten.
    /// - Throws: `Complaint` if a command ends with another exit code than 0.
    @discardableResult
    func carryOut(_ script: String) throws -> [String] {
        self.show(script)
        let child = try self.start("the command", script, mayEnd: true)
        self.command = child
        try self.harness.turn { child.process.exit != nil }
        self.harness.forget(child)
        for line in child.firstLines { self.tell(line) }
        guard child.process.exit == .code(0) else {
            let words = child.lastWords.joined(separator: "\n  ")
            throw Complaint("a command has failed:\n  \(words)")
        }
        return child.firstLines
    }

    private func start(_ role: String, _ script: String, mayEnd: Bool) throws -> CapturedProcess {
        let head = "set -e; umask 077; cd \(Self.quoted(self.folder.path))"
        let exports = self.variables.map { "; export \($0)" }.joined()
        return try self.harness.start(
            role,
            "/bin/sh",
            arguments: ["-c", "\(head)\(exports)\n\(script)"],
            mayEnd: mayEnd
        )
    }

    /// A text as one word of a shell.
    static func quoted(_ text: String) -> String { "'\(text.replacing("'", with: #"'\''"#))'" }

    // MARK: - The end

    /// Prints commands for another terminal, and keeps everything running until the user stops it.
    func stay() throws {
        let (topic, name) = (self.plan.worker.topic, self.plan.worker.name)
        self.harness.screen.line("\n# Everything is left running until Ctrl-C. In another terminal:", .bold)
        self.show("cd \(Self.quoted(self.folder.path)); export \(self.variables.joined(separator: " "))")
        self.show("fleet publish \(topic) --brokers \"$BROKERS\" --file records.jsonl\(self.plan.publishing)")
        self.show("fleet read \(topic).result --brokers \"$BROKERS\" --from-beginning")
        self.show("fleet read \(topic).dead-letter --brokers \"$BROKERS\" --from-beginning")
        self.show("fleet status --once --url \(self.worker.address.replacing("http://", with: ""))")
        self.show("dead-letters groups --brokers \"$BROKERS\"")
        if self.plan.upstream != nil { self.show("curl \"$UPSTREAM/control/stats\"") }
        self.show("tail -f \(name).log")
        do {
            while true { try self.harness.turn() }
        } catch is Harness.Interrupted {
            self.harness.grantWish()
        }
    }

    /// Shows how everything is stopped, and stops it.
    func close() {
        self.title("Stop everything, the worker first.")
        self.show("kill $(jobs -p); wait")
        self.stop()
        self.tell("stopped, and \(self.folder.path) is removed")
    }

    /// Stops the processes that still run: the worker first, so that it can commit and leave its group.
    func stop() {
        // A command that still runs has nothing to save.
        self.command?.process.kill9()
        self.harness.dismiss(self.worker.child.map { [$0] } ?? [])
        self.harness.dismiss(self.harness.remaining)
    }
}
