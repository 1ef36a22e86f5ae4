import Harness
import WireFormats

/// One record as a line of the table: the expected result and the actual one.
struct Row {
    var title: String
    var expected: String
    var fate: String
    var calls: String
    var latency: String
    var reason: String
    var deadLetterID: String
    var isAsExpected: Bool

    static let heading = Row(
        title: "record",
        expected: "expected",
        fate: "became",
        calls: "calls",
        latency: "took",
        reason: "because",
        deadLetterID: "dead letter",
        isAsExpected: true
    )

    init(_ entry: Register.Entry, isAsExpected: Bool) {
        let outcome = entry.outcome
        self.title = entry.sample.title
        self.expected = entry.sample.word ?? entry.sample.fate.word
        self.fate =
            outcome.map { $0.word ?? Outcome.Fate(rawValue: $0.fate)?.word ?? $0.fate } ?? "nothing"
        self.calls = outcome.map { String($0.attempts) } ?? "–"
        self.latency = entry.latency?.shown ?? "–"
        self.reason = outcome?.reason ?? outcome?.detail ?? ""
        self.deadLetterID = outcome?.deadLetterID ?? ""
        self.isAsExpected = isAsExpected
    }

    private init(
        title: String,
        expected: String,
        fate: String,
        calls: String,
        latency: String,
        reason: String,
        deadLetterID: String,
        isAsExpected: Bool
    ) {
        self.title = title
        self.expected = expected
        self.fate = fate
        self.calls = calls
        self.latency = latency
        self.reason = reason
        self.deadLetterID = deadLetterID
        self.isAsExpected = isAsExpected
    }

    /// The line in this width. In a narrow window, the column with the expected result is omitted first, then
    /// the time and the id.
    func text(width: Int) -> String {
        var cells = [Self.cell(self.title, 28), Self.cell(self.fate, 13)]
        if width >= 105 || !self.isAsExpected { cells.insert(Self.cell(self.expected, 13), at: 1) }
        cells.append(Self.cell(self.calls, 5, isNumber: true))
        if width >= 76 { cells.append(Self.cell(self.latency, 6, isNumber: true)) }
        let used = cells.reduce(0) { $0 + $1.count + 1 }
        // The reason gets 30 columns and a space. The id is shown in full, or only its beginning.
        let idRoom = width - used - 31
        if idRoom >= 12 {
            cells.append(Self.cell(self.reason, 30))
            cells.append(Self.cell(self.deadLetterID, idRoom >= 35 ? 35 : 12))
        } else {
            cells.append(Self.cell(self.reason, max(0, width - used)))
        }
        let text = cells.joined(separator: " ")
        return String(text.reversed().drop { $0 == " " }.reversed())
    }

    /// A text in this width, cut or padded with spaces.
    private static func cell(_ text: String, _ width: Int, isNumber: Bool = false) -> String {
        let fitting = text.count <= width ? text : String(text.prefix(max(0, width - 1))) + "…"
        let space = String(repeating: " ", count: max(0, width - fitting.count))
        return isNumber ? space + fitting : fitting + space
    }
}

extension Outcome.Fate {
    /// The name of the outcome for a person.
    var word: String {
        switch self {
        case .succeeded: "succeeded"
        case .rejected: "rejected"
        case .expired: "expired"
        case .deadLettered: "dead letter"
        }
    }
}
