import WebPages

/// A verdict and its numbers in words.
enum VerdictText {
    /// Returns a verdict as a sentence.
    ///
    /// - Parameter margin: the smallest difference that matters, in percentage points.
    static func sentence(_ verdict: Verdict, margin: Double) -> String {
        switch verdict {
        case .better: "Ahead of the base."
        case .worse: "Behind the base."
        case .same: "No difference that matters: less than \(Self.number(margin)) points either way."
        case .undecided(let more?):
            "Not decided yet: about \(Shown.number(Int(more))) more devices needed."
        case .undecided(nil):
            "Not decided yet, and more than a billion more devices would be needed."
        case .waiting(let reason): "Not to be compared yet: \(Self.words(reason))."
        }
    }

    private static func words(_ reason: Verdict.Reason) -> String {
        switch reason {
        case .sending: "the reports of sending are missing or behind"
        case .fewDevices:
            """
            each variant needs \(SequentialInterval.fewest) devices that count as reached, and \
            \(SequentialInterval.fewest) that do not
            """
        case .unequalAge:
            "one was sent earlier and has had more time; that evens out, at the latest when both are complete"
        }
    }

    /// Returns a difference of shares in percentage points, with its sign: `+0.82`.
    static func points(_ difference: Double) -> String {
        let text = Self.number(abs(difference) * 100)
        if text == "0.00" { return "0.00" }
        return (difference < 0 ? "−" : "+") + text
    }

    /// Returns a number from 0 to 100 with two decimals.
    static func number(_ number: Double) -> String {
        let hundredths = Int((min(100, max(0, number)) * 100).rounded())
        let rest = hundredths % 100
        return "\(hundredths / 100)." + (rest < 10 ? "0\(rest)" : "\(rest)")
    }
}
