import EventThread
import Glibc
import Terminal

/// A program that this one has started.
final class ChildProcess {
    enum Streams {
        /// Standard output and error come here as lines, and standard input is held open until the child is to end.
        /// The child leads a process group, so that a Ctrl-C at the terminal is for us to hear, and to pass on in the
        /// right order, and so that whatever the child has started can be ended with it.
        case captured
        /// The child shares ours, save standard input, which is empty, and is of our process group.
        case inherited
    }

    enum Stream: Hashable {
        case output, error
    }

    typealias Exit = ProcessEnd

    let name: String
    let pid: pid_t
    private let leadsGroup: Bool
    private(set) var exit: Exit?
    private var standardInput: Int32
    private var inputs: [(stream: Stream, lines: LineInput)] = []
    /// Held open by the child alone: its end is the child's.
    private var lifeline: LineInput

    init(_ program: String, _ arguments: [String], streams: Streams) throws(Complaint) {
        self.leadsGroup = streams == .captured
        var spawn = Spawn(
            program,
            arguments,
            environment: Self.environment,
            startsGroup: self.leadsGroup
        )
        switch streams {
        case .captured:
            let input = try Spawn.pipe()
            let (output, error) = (try Spawn.pipe(), try Spawn.pipe())
            spawn.give(input.readEnd, as: STDIN_FILENO)
            spawn.give(output.writeEnd, as: STDOUT_FILENO)
            spawn.give(error.writeEnd, as: STDERR_FILENO)
            self.standardInput = input.writeEnd
            self.inputs = [(.output, LineInput(output.readEnd)), (.error, LineInput(error.readEnd))]
        case .inherited:
            let input = try Spawn.pipe()
            close(input.writeEnd)
            spawn.give(input.readEnd, as: STDIN_FILENO)
            self.standardInput = -1
        }
        let life = try Spawn.pipe()
        spawn.give(life.writeEnd, as: 3)
        self.lifeline = LineInput(life.readEnd)
        for descriptor in self.inputs.map(\.lines.descriptor) + [life.readEnd] {
            _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        }
        self.name = String(program.split(separator: "/").last ?? "")
        self.pid = try spawn.run()
    }

    deinit {
        for descriptor in self.inputs.map(\.lines.descriptor) + [self.lifeline.descriptor] {
            close(descriptor)
        }
        if self.standardInput >= 0 { close(self.standardInput) }
    }

    /// Readable when `serve` has something to do. Always as many, and ignored by a wait once they have ended.
    var descriptors: [Int32] {
        (self.inputs.map(\.lines) + [self.lifeline]).map { $0.isAtEnd ? -1 : $0.descriptor }
    }

    /// Hands over the lines that have arrived, and notices the end.
    func serve(_ tell: (Stream, [UInt8]) -> Void = { _, _ in }) {
        for index in self.inputs.indices where !self.inputs[index].lines.isAtEnd {
            _ = try? self.inputs[index].lines.fill()
            while let line = self.inputs[index].lines.next() { tell(self.inputs[index].stream, line) }
        }
        guard self.exit == nil, (try? self.lifeline.fill()) != true else { return }
        // Whatever it has started and left behind goes with it: as long as it is not reaped, the group is its own.
        if self.leadsGroup { kill(-self.pid, SIGKILL) }
        // The lifeline has been cut, so the child is ending or has ended: this waits for moments at most.
        self.exit = Exit(of: self.pid)
    }

    /// Asks the child to end: what it has in hand it may finish.
    func terminate() {
        guard self.exit == nil else { return }
        kill(self.pid, SIGTERM)
        // One that stands still would never hear of it.
        self.resume()
        self.closeInput()
    }

    /// Has the child and its group stand still, as on a machine that has no time for them.
    func pause() { self.signalGroup(SIGSTOP) }

    /// Lets them go on.
    func resume() { self.signalGroup(SIGCONT) }

    /// Writes a line to the child's standard input, if it is still open.
    func tell(_ line: String) {
        if self.standardInput >= 0 { Console.write(Array("\(line)\n".utf8), to: self.standardInput) }
    }

    func closeInput() {
        if self.standardInput >= 0 { close(self.standardInput) }
        self.standardInput = -1
    }

    /// Ends the child and its group at once, whatever they have in hand.
    func kill9() { self.signalGroup(SIGKILL) }

    private func signalGroup(_ number: Int32) {
        if self.exit == nil { kill(self.leadsGroup ? -self.pid : self.pid, number) }
    }

    /// Settings of workers can come from the environment, and so can proxies: a child starts with neither.
    private static var environment: [String] {
        let names = ["PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "TZ", "LD_LIBRARY_PATH", "ASAN_OPTIONS"]
        return names.compactMap { name in
            guard let value = unsafe getenv(name) else { return nil }
            return "\(name)=\(unsafe String(cString: value))"
        }
    }
}
