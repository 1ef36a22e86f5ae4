import Records
import WireFormats

// The facts that a judge reads from a record that a worker sends.
extension OutboundRecord {
    func text(_ header: String) -> String? {
        self.headers.first { $0.name == header }?.value.map { String(decoding: $0, as: UTF8.self) }
    }

    /// Whether the engine may have found in its regular sweep over all records in hand that this record is to
    /// be sent.
    var canComeOfASweep: Bool {
        let reason = SimulatedOutcome(self)?.reason ?? self.text("dlq.reason")
        return reason == "deadline" || reason == "head_of_line" || RetryTicket(self.headers) != nil
    }

    /// The dead-letter budget from which a letter is taken, as lane and reason. A record that was never
    /// called for has no lane.
    var budgetAccount: String {
        let lane = self.text("dlq.attempts") == "0" ? "" : self.text("lane") ?? "a"
        return "\(lane) \(self.text("dlq.reason") ?? "")"
    }

    /// A description of the record for the narrator.
    var summary: String {
        if let outcome = SimulatedOutcome(self) { return "outcome \(outcome.id) \(outcome.fate)" }
        if let id = self.text("dlq.id") { return "letter \(id)" }
        return RetryTicket(self.headers).map { "copy of \($0.from)" } ?? "record for \(self.topic)"
    }
}
