import Harness
import UpstreamSimulator
import WorkerKit

/// The count of every conversion of a chaos run with uploads, from the topics and from the Marketing API. It
/// asks no worker.
struct RouteAudit {
    /// The number of objections of a kind that are told in full.
    private static let sentencesLimit = 8

    let inputs: [RouteInput]
    let delivery: EngineSettings.Delivery
    private(set) var objections: [String] = []
    /// Different conversions at the Marketing API, by `outer_action_id`; and how many were reported again.
    private(set) var conversions = 0
    private(set) var repeatedReports = 0
    /// Inputs whose conversion is there not once, or whose events are.
    private(set) var wrongConversions = 0
    private(set) var lost = 0
    private(set) var repeatedEvents = 0
    private(set) var repeatedOutcomes = 0
    private(set) var repeatedUploads = 0

    init(_ inputs: [RouteInput], delivery: EngineSettings.Delivery) {
        self.inputs = inputs
        self.delivery = delivery
    }

    mutating func object(_ sentences: [String]) {
        self.objections += sentences.prefix(Self.sentencesLimit)
        let rest = sentences.count - Self.sentencesLimit
        if rest > 0 { self.objections.append("… and \(rest) more like the last") }
    }

    // MARK: - The Marketing API

    /// Checks that the Marketing API has the conversion of each input once by its `outer_action_id`, and no
    /// others.
    mutating func check(_ conversions: [MarketingSimulator.Conversion]) {
        self.conversions = Set(conversions.map(\.outerActionID)).count
        self.repeatedReports = conversions.reduce(0) { $0 + $1.count - 1 }
        var sentences: [String] = []
        if self.conversions != conversions.count {
            sentences.append("\(conversions.count - self.conversions) conversions share an outer_action_id")
        }
        var found = Dictionary(grouping: conversions, by: \.muid)
        for (index, kind) in self.inputs.enumerated() {
            let number = index + 1
            let ids = found.removeValue(forKey: RouteInput.muid(number)) ?? []
            let expected = kind == .refused ? 0 : 1
            let callback = kind == .callback ? RouteInput.cb(of: number) : ""
            if ids.count != expected {
                sentences.append("\(kind) \(number) is \(ids.count) conversions at the Marketing API")
            } else if let one = ids.first, one.callback != callback {
                sentences.append("\(kind) \(number) went to the callback \"\(one.callback)\"")
            }
        }
        sentences += found.values.joined().map { "the conversion \($0.outerActionID) is of nobody" }
        self.wrongConversions = sentences.count
        self.object(sentences)
    }

    // MARK: - The topics

    mutating func check(_ topics: RouteEvidence, places: [String: Int]) {
        self.checkEvents(topics)
        self.checkReports(topics, places: places)
        self.object(topics.objections)
        // Each further record of an upload makes one duplicate.
        let uploads = self.inputs.count { $0 == .upload }
        self.repeatedUploads = topics.uploads.count - uploads
        if topics.refusals
            != (self.repeatedUploads == 0 ? [:] : ["activation.duplicate": self.repeatedUploads])
        {
            self.object(["\(self.repeatedUploads) uploads came again, and the intake says \(topics.refusals)"]
            )
        }
        self.object(
            topics.uploads.filter { $0.value != 1 }.map { "the upload \($0.key) has \($0.value) outcomes" }
        )
        self.object(topics.tickets.filter(\.value).map { "the ticket of \($0.key) was never taken back" })
    }

    private mutating func checkEvents(_ topics: RouteEvidence) {
        var (missing, repeated): ([String], [String]) = ([], [])
        for (index, kind) in self.inputs.enumerated() where kind == .upload {
            for sequence in 1...RouteInput.events.count {
                let count = topics.events[.init(input: index + 1, sequence: sequence)] ?? 0
                // The load goes on until every upload is acknowledged.
                if count == 0 { missing.append("event \(sequence) of upload \(index + 1) is not published") }
                if count > 1 {
                    repeated.append("event \(sequence) of upload \(index + 1) is published \(count) times")
                }
            }
        }
        self.lost += missing.count
        self.repeatedEvents = repeated.count
        self.object(missing)
        self.object(repeated)
    }

    private mutating func checkReports(_ topics: RouteEvidence, places: [String: Int]) {
        var reports: [Int: RouteEvidence.Report] = [:]
        var (strange, repeated): ([String], [String]) = ([], [])
        for (name, report) in topics.reports {
            guard let number = topics.activations[name] ?? places[name] else {
                strange.append("there is an outcome of \(name), which nobody published")
                continue
            }
            if reports.updateValue(report, forKey: number) != nil {
                strange.append("input \(number) has outcomes under two names")
            }
            if let other = report.contradiction {
                strange.append(
                    "the outcomes of input \(number) differ: \(report.word) for \(report.origin), and \(other)"
                )
            }
            if report.count > 1 { repeated.append("input \(number) has \(report.count) outcomes") }
        }
        var (missing, wrong): ([String], [String]) = ([], [])
        for (index, kind) in self.inputs.enumerated() {
            let expected = kind == .refused ? "marketing.31005" : "succeeded"
            switch reports[index + 1]?.word {
            case nil: missing.append("\(kind) \(index + 1) has no outcome")
            case expected: break
            case let word?: wrong.append("\(kind) \(index + 1) is \(word)")
            }
        }
        self.lost += missing.count
        self.repeatedOutcomes = repeated.count
        for sentences in [missing, wrong, strange] { self.object(sentences) }
        if self.delivery == .exactlyOnce { self.object(repeated) }
    }
}
