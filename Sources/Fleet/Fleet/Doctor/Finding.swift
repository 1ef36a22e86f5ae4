/// The result of one check of `fleet doctor`: a line.
struct Finding: Hashable, Sendable {
    enum Verdict: String, Hashable, Sendable {
        case good = "ok"
        case unchecked = "not checked"
        case warning
        /// Something that keeps the worker from its work.
        case fault
    }

    var verdict: Verdict
    /// The thing that was checked, such as "upstream gdt.url".
    var subject: String
    /// The result, with the remedy if there is one to take.
    var text: String

    init(_ verdict: Verdict, _ subject: String, saying text: String) {
        self.verdict = verdict
        self.subject = subject
        self.text = text
    }

    /// The line for an operator.
    var line: String { "\(self.verdict.rawValue): \(self.subject): \(self.text)" }
}
