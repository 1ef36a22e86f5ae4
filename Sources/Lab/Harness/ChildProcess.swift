import EventThread
package import Glibc
package import Terminal

/// A program that this process has started.
package final class ChildProcess {
    /// The connection of the child's standard streams.
    package enum Streams {
        /// Standard output and standard error arrive here as lines, and standard input stays open until the
        /// child must exit.
        ///
        /// The child leads a process group of its own. A Ctrl-C at the terminal then reaches only this
        /// process, which ends its children in the right order. The processes that a child has started can be
        /// ended together with it.
        case captured
        /// The child shares standard output, standard error and process group with this process. Its standard
        /// input is empty.
        case inherited
    }

    package enum Stream: Hashable {
        case output, error
    }

    package typealias Exit = ProcessEnd

    /// The last part of the program's path.
    package let name: String
    package let pid: pid_t
    private let leadsGroup: Bool
    /// The exit of the child; nil while it runs, and until `serve` has noticed the exit.
    package private(set) var exit: Exit?
    private var standardInput: Int32
    private var inputs: [(stream: Stream, lines: LineInput)] = []
    /// A pipe that only the child holds open, as its descriptor 3. Its end shows that the child has exited.
    private var lifeline: LineInput

    /// Starts the program.
    ///
    /// - Throws: `Complaint` if the program cannot be started.
    package init(_ program: String, _ arguments: [String], streams: Streams) throws(Complaint) {
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

    /// Descriptors that are readable when `serve` has something to do. Their number never changes; one that
    /// has ended is -1, which a wait ignores.
    package var descriptors: [Int32] {
        (self.inputs.map(\.lines) + [self.lifeline]).map { $0.isAtEnd ? -1 : $0.descriptor }
    }

    /// Passes on the lines that have arrived, and notices the child's exit.
    package func serve(_ tell: (Stream, [UInt8]) -> Void = { _, _ in }) {
        for index in self.inputs.indices where !self.inputs[index].lines.isAtEnd {
            _ = try? self.inputs[index].lines.fill()
            while let line = self.inputs[index].lines.next() { tell(self.inputs[index].stream, line) }
        }
        guard self.exit == nil, (try? self.lifeline.fill()) != true else { return }
        // Processes that the child has started and left running are killed with its group. The child has not
        // been reaped yet, so no other group can have its id.
        if self.leadsGroup { kill(-self.pid, SIGKILL) }
        // The pipe has been closed, so the child is exiting or has exited, and this call waits only for a
        // short time.
        self.exit = Exit(of: self.pid)
    }

    /// Sends SIGTERM and closes standard input. The child may finish its work in hand.
    package func terminate() {
        guard self.exit == nil else { return }
        kill(self.pid, SIGTERM)
        // A stopped process would not handle the signal.
        self.resume()
        self.closeInput()
    }

    /// Sends SIGSTOP to the child, and to its group if it leads one, as if the machine had no time for them.
    package func pause() { self.signalGroup(SIGSTOP) }

    /// Sends SIGCONT to the child, and to its group if it leads one.
    package func resume() { self.signalGroup(SIGCONT) }

    /// Writes a line to the child's standard input, if that is still open.
    package func tell(_ line: String) {
        if self.standardInput >= 0 { Console.write(Array("\(line)\n".utf8), to: self.standardInput) }
    }

    package func closeInput() {
        if self.standardInput >= 0 { close(self.standardInput) }
        self.standardInput = -1
    }

    /// Sends SIGKILL to the child and its group.
    package func kill9() { self.signalGroup(SIGKILL) }

    private func signalGroup(_ number: Int32) {
        if self.exit == nil { kill(self.leadsGroup ? -self.pid : self.pid, number) }
    }

    /// The environment of a child. Settings of workers and proxies can come from environment variables, so a
    /// child gets only the variables listed here.
    private static var environment: [String] {
        let names = ["PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "TZ", "LD_LIBRARY_PATH", "ASAN_OPTIONS"]
        return names.compactMap { name in
            guard let value = unsafe getenv(name) else { return nil }
            return "\(name)=\(unsafe String(cString: value))"
        }
    }
}
