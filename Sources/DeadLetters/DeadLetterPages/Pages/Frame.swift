import DeadLetters
import WebPages
import WireFormats

/// The values of the template `layout`, which surrounds every page.
struct Frame: Sendable {
    struct Link: Sendable {
        var label: String
        var address: String
        var isHere: Bool
    }

    struct Running: Sendable {
        var runningBatch: String
        var runningWords: String
    }

    var title: String
    var user: String
    /// The form token, which every form has to bring back.
    var token: String
    /// Whether the user may change and unmask something.
    var mayAct: Bool
    var links: [Link]
    /// Sentences about a cluster that cannot be read, about a webhook that takes no messages, and about letters that the
    /// broker will delete soon.
    var alerts: [String] = []
    /// The running replay; nil if there is none, or the page is that of a replay.
    var running: Running?
    /// The age of the index in words.
    var freshness: String
    /// The pause in seconds before the page should be loaded again; nil for a page that does not change by
    /// itself.
    var reload: Int?
    /// The command that does in a terminal what the page does; nil if there is none.
    var command: String?

    /// The pages of the navigation.
    private static let places: [(label: String, address: String)] = [
        ("Groups", "/"), ("Letters", "/letters"), ("Replays", "/replays"), ("Parked", "/parked"),
        ("Retention", "/retention"), ("Audit trail", "/audit"),
    ]

    init(
        _ title: String,
        at address: String,
        for visitor: Gate.Visitor,
        standing: IndexWatch.Standing,
        running: ReplayRunner.Running?,
        now: Int64
    ) {
        self.title = title
        self.user = SafeText.line(visitor.name, limit: 60)
        self.token = visitor.token
        self.mayAct = visitor.mayAct
        self.links = Self.places.map {
            Link(label: $0.label, address: $0.address, isHere: $0.address == address)
        }
        self.freshness = Self.freshness(standing, now: now)
        if let trouble = standing.trouble {
            self.alerts.append(
                "The cluster could not be read, so this may be out of date: \(SafeText.line(trouble, limit: 300))"
            )
        }
        if let trouble = standing.webhookTrouble {
            self.alerts.append("New groups are told to nobody: \(SafeText.line(trouble, limit: 300)).")
        }
        if address == "/" || address == "/letters" {
            self.alerts += standing.retention.compactMap(Self.warning)
        }
        if let running, !address.hasPrefix("/replays/") {
            let report = running.report
            self.running = Running(
                runningBatch: report.batch,
                runningWords: """
                    \(SafeText.line(running.user, limit: 60)) is replaying: \(Shown.number(report.done)) of \
                    \(Shown.number(report.planned)) so far
                    """
            )
        }
    }

    private static func freshness(_ standing: IndexWatch.Standing, now: Int64) -> String {
        if let progress = standing.progress, progress.done < progress.total {
            return
                "Reading: \(Shown.number(Int(progress.done))) of \(Shown.number(Int(progress.total))) records so far."
        }
        guard let at = standing.refreshedAt else { return "The topics are being read for the first time." }
        return "As of \(Shown.ago(at, now: now)), \(Shown.time(at)). All times are UTC."
    }

    private static func warning(_ view: RetentionView) -> String? {
        guard view.goingSoon > 0 else { return nil }
        return """
            \(Shown.count(view.goingSoon, "open letter")) of \(SafeText.line(view.topic, limit: 100)) will be deleted by \
            the broker within \(Shown.span(view.within)).
            """
    }
}

extension Pager {
    /// The number of lines on a page.
    static let size = 100
}
