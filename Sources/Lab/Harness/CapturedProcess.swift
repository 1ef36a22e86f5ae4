package import Terminal

/// A child process with the latest lines of its output.
package final class CapturedProcess {
    /// The number of lines of standard error that are kept.
    private static let wordsLimit = 20
    private static let firstLinesLimit = 10

    /// The name of the process for a person, such as `the broker`.
    package let role: String
    package let process: ChildProcess
    /// The first lines of standard output. A server prints its addresses there.
    package private(set) var firstLines: [String] = []
    package var firstLine: String? { self.firstLines.first }
    /// The last line of standard output.
    package private(set) var lastLine: String?
    /// The last lines of standard error.
    package private(set) var lastWords: [String] = []
    /// The time at which the exit was noticed.
    package private(set) var endedAt: ContinuousClock.Instant?
    /// Whether the process may exit. An exit without this is a failure.
    package private(set) var mayEnd: Bool

    package init(_ role: String, _ program: String, arguments: [String], mayEnd: Bool = false)
        throws(Complaint)
    {
        self.role = role
        self.mayEnd = mayEnd
        self.process = try ChildProcess(program, arguments, streams: .captured)
    }

    /// Handles new output and the exit.
    ///
    /// - Parameter heard: called with each line of standard error.
    package func serve(_ heard: (String) -> Void) {
        self.process.serve { stream, line in
            let line = String(decoding: line, as: UTF8.self)
            switch stream {
            case .output:
                if self.firstLines.count < Self.firstLinesLimit { self.firstLines.append(line) }
                self.lastLine = line
            case .error:
                self.lastWords = self.lastWords.suffix(Self.wordsLimit - 1) + [line]
                heard(line)
            }
        }
        if self.endedAt == nil, self.process.exit != nil { self.endedAt = .now }
    }

    /// Asks the process to exit.
    package func dismiss() {
        self.mayEnd = true
        self.process.terminate()
    }

    /// The error for a process that has exited without permission; nil otherwise.
    package var mishap: Complaint? {
        guard let exit = self.process.exit, !self.mayEnd else { return nil }
        let words = self.lastWords.isEmpty ? "it said nothing" : self.lastWords.joined(separator: "\n  ")
        return Complaint("\(self.role) has ended (\(exit)):\n  \(words)")
    }
}
