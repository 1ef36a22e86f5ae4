import Terminal

/// A process on the stage, and what it has said so far.
final class Performer {
    private static let wordsLimit = 20
    private static let firstLinesLimit = 10

    /// What it is to a person, such as `the broker`.
    let role: String
    let process: ChildProcess
    /// The first lines of its output: a server says its addresses there.
    private(set) var firstLines: [String] = []
    var firstLine: String? { self.firstLines.first }
    /// The last line of its output.
    private(set) var lastLine: String?
    /// The last lines that it wrote to standard error.
    private(set) var lastWords: [String] = []
    /// When its end was noticed.
    private(set) var endedAt: ContinuousClock.Instant?
    /// Told to end; before that, its end is a failure.
    private(set) var mayEnd: Bool

    init(_ role: String, _ program: String, _ arguments: [String], mayEnd: Bool = false) throws(Complaint) {
        self.role = role
        self.mayEnd = mayEnd
        self.process = try ChildProcess(program, arguments, streams: .captured)
    }

    func serve(_ heard: (String) -> Void) {
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

    func dismiss() {
        self.mayEnd = true
        self.process.terminate()
    }

    /// Why the show cannot go on without it; nil as long as it can.
    var mishap: Complaint? {
        guard let exit = self.process.exit, !self.mayEnd else { return nil }
        let words = self.lastWords.isEmpty ? "it said nothing" : self.lastWords.joined(separator: "\n  ")
        return Complaint("\(self.role) has ended (\(exit)):\n  \(words)")
    }
}
