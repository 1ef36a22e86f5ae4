import ServiceKit
import WireFormats

/// A verdict as one line of JSON, always with the same members.
struct VerdictLine {
    /// The verdict: `answer`, `call`, `retry`, `reject` or `hold`.
    var verdict: String
    var reason: Reason?
    /// The outcome that the record would have; nil if it is not settled.
    var fate: Outcome.Fate?
    var kind: DeadLetter.Class?
    var afterMilliseconds: Int64?
    /// The scope of a hold: `lane` or `upstream`.
    var scope: String?
    /// The next request of a call, as JSON.
    var request: String?
    /// The result record, as JSON.
    var result: String?

    var text: String {
        var line = JSONLine()
        line.add("verdict", self.verdict)
        line.add("reason", self.reason?.code)
        line.add("message", self.reason?.message)
        line.add("after_ms", self.afterMilliseconds)
        line.add("outcome", self.fate?.rawValue)
        line.add("class", self.kind?.rawValue)
        line.add("scope", self.scope)
        line.addRaw("request", self.request ?? "null")
        line.addRaw("result", self.result ?? "null")
        return line.text
    }
}
