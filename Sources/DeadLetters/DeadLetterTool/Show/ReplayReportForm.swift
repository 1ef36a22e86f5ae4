import DeadLetters

/// The result of a replay or of a discard as JSON.
struct ReplayReportForm: Encodable {
    var batch: String
    var planned: Int
    var done: Int
    var skipped: [String: Int]
    var left: Int
    var interruption: String?

    init(_ report: ReplayReport) {
        self.batch = report.batch
        self.planned = report.planned
        self.done = report.done
        self.skipped = Dictionary(report.skipped.map { ($0.key.rawValue, $0.value) }) { $1 }
        self.left = report.left
        self.interruption =
            switch report.interruption {
            case .asked?: "asked"
            case .takenOver?: "taken_over"
            case .failed(let reason)?: "failed: \(reason)"
            case nil: nil
            }
    }
}
