import Harness
import Records
import WireFormats

extension Register.Entry {
    /// The differences between this record's result and the expected one, as ends of sentences.
    var objections: [String] {
        guard self.place != nil else { return ["was not acknowledged by the broker"] }
        guard let outcome else { return ["has no outcome"] }
        let expected = self.sample
        var objections: [String] = []
        if self.outcomes.count > 1 { objections.append("has \(self.outcomes.count) outcomes") }
        if outcome.fate != expected.fate.rawValue {
            objections.append("should be \(expected.fate.rawValue) and is \(outcome.fate)")
        }
        if outcome.word != expected.word {
            objections.append(
                "should be called \(expected.word ?? "nothing") and is called \(outcome.word ?? "nothing")"
            )
        }
        if outcome.reason == nil, outcome.detail != expected.detail {
            objections.append(
                "should say \(expected.detail ?? "no more") and says \(outcome.detail ?? "no more")"
            )
        }
        if outcome.reason != expected.reason {
            objections.append(
                "should have the reason \(expected.reason ?? "none") and has \(outcome.reason ?? "none")"
            )
        }
        if !expected.calls.contains(outcome.attempts) {
            objections.append("should take \(expected.calls.text) calls and took \(outcome.attempts)")
        }
        if outcome.key != expected.record.key { objections.append("has an outcome under another key") }
        return objections + self.objectionsToLetter(outcome)
    }

    /// The differences between the dead letter and the expected one, as ends of sentences.
    private func objectionsToLetter(_ outcome: Sighting) -> [String] {
        guard self.sample.fate == .deadLettered else {
            return self.letters.isEmpty ? [] : ["has a dead letter and should have none"]
        }
        guard let letter = self.letters.first else { return ["has no dead letter"] }
        let record = self.sample.record
        var objections: [String] = []
        if self.letters.count > 1 { objections.append("has \(self.letters.count) dead letters") }
        if letter.key != record.key { objections.append("has a dead letter with another key") }
        if self.sample.letterLeavesOutTheValue {
            let size = letter.text("dlq.value_omitted").flatMap { _ in letter.text("dlq.value_bytes") }
            if letter.value != nil || size != String(record.value?.count ?? 0) {
                objections.append("has a dead letter that does not leave out its value")
            }
        } else if letter.value != record.value {
            objections.append("has a dead letter with another value")
        }
        if !letter.headers.starts(with: record.headers) {
            objections.append("has a dead letter with other headers")
        }
        if letter.text("dlq.id") != outcome.deadLetterID || outcome.deadLetterID == nil {
            objections.append("has an outcome that does not name its dead letter")
        }
        if letter.text("dlq.class") != self.sample.kind?.rawValue {
            objections.append(
                "should be dead as \(self.sample.kind?.rawValue ?? "–") and is as \(letter.text("dlq.class") ?? "–")"
            )
        }
        if letter.text("dlq.reason") != self.sample.reason {
            objections.append("has a dead letter with another reason")
        }
        return objections
    }
}

extension ClosedRange<Int> {
    fileprivate var text: String {
        self.lowerBound == self.upperBound ? "\(self.lowerBound)" : "\(self.lowerBound) to \(self.upperBound)"
    }
}
