import ServiceKit
import WireFormats

extension OperatorStatus {
    /// The status in lines for people.
    var lines: [String] {
        let choices = self.choices
        let condition = self.ready ? "ready" : "not ready" + (self.reason.map { ": \($0)" } ?? "")
        var lines = ["\(self.program) \(self.version), \(condition)"]
        if choices.isPaused { lines.append("paused: the whole worker") }
        lines += choices.lanes.sorted().map { "paused: lane \(SafeText.line($0))" }
        lines += choices.endpoints.sorted().map { "paused: endpoint \(SafeText.line($0))" }
        if let most = self.concurrency {
            lines.append(
                choices.concurrency.map { "calls in flight: at most \($0), chosen; \(most) by the settings" }
                    ?? "calls in flight: at most \(most)"
            )
        }
        if let rate = choices.rate { lines.append("rate: \(rate) calls a second of the fleet, chosen") }
        if !self.endpoints.isEmpty { lines.append("endpoints: \(self.endpoints.joined(separator: ", "))") }
        lines.append("log level: \(self.logLevel)" + (choices.logLevel == nil ? "" : ", chosen"))
        return lines
    }
}
