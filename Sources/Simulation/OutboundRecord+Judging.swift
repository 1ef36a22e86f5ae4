import Records
import WireFormats

// What a judge reads out of a record that a worker sends.
extension OutboundRecord {
    func text(_ header: String) -> String? {
        self.headers.first { $0.name == header }?.value.map { String(decoding: $0, as: UTF8.self) }
    }

    /// Whether the engine may have found out that this is to be sent when it looked after everything in hand.
    var canComeOfASweep: Bool {
        let reason = SimulatedOutcome(self)?.reason ?? self.text("dlq.reason")
        return reason == "deadline" || reason == "head_of_line" || RetryTicket(self.headers) != nil
    }

    /// The dead-letter budget that a letter is taken from: a record that was never called for has no lane.
    var budgetAccount: String {
        let lane = self.text("dlq.attempts") == "0" ? "" : self.text("lane") ?? "a"
        return "\(lane) \(self.text("dlq.reason") ?? "")"
    }

    /// What it is, for the narrator.
    var summary: String {
        if let outcome = SimulatedOutcome(self) { return "outcome \(outcome.id) \(outcome.fate)" }
        if let id = self.text("dlq.id") { return "letter \(id)" }
        return RetryTicket(self.headers).map { "copy of \($0.from)" } ?? "record for \(self.topic)"
    }
}
