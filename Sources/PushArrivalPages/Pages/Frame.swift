import WebPages
import WireFormats

/// What is around every page.
struct Frame: Sendable {
    var title: String
    /// Seconds after which the page is worth another look.
    var reload = 3
    /// The same for browsers without scripts, which load all of it again.
    var slowReload = 10
    /// Whether the numbers are of now: a word for the style, and one for people.
    var stateClass: String
    var state: String
    /// What whoever looks has to know before they believe a number.
    var alerts: [String] = []
    var freshness: String

    init(_ title: String, _ standing: ReadingStanding.Snapshot, topic: String, now: Int64) {
        self.title = title
        let age = standing.heardAt.map { Shown.ago($0, now: now) }
        let topic = SafeText.line(topic, limit: 100)
        switch (standing.trouble, standing.phase) {
        case (let trouble?, _):
            self.stateClass = "away"
            self.state = "The cluster does not answer"
            let known = age.map { "It was last heard of \($0), and nothing newer is shown" }
            let reason = SafeText.line(trouble, limit: 300)
            self.alerts.append("\(known ?? "It has not been heard of since the start"). (\(reason))")
        case (nil, .looking) where standing.heardAt == nil:
            self.stateClass = "reading"
            self.state = "Looking for the cluster"
        case (nil, .looking):
            self.stateClass = "reading"
            self.state = "Waiting for the topic \(topic), which is not there yet"
        case (nil, .catchingUp(let most)):
            self.stateClass = "reading"
            self.state = """
                Reading the statistics: \(Shown.count(Int(standing.records), "record")) so far, of at most \
                \(Shown.number(Int(most)))
                """
        case (nil, .live):
            self.stateClass = "live"
            self.state = "Live"
        }
        if standing.unreadable > 0 {
            let (one, many) = ("record of \(topic) is", "records of \(topic) are")
            self.alerts.append(
                "\(Shown.count(Int(standing.unreadable), one, many)) no statistics, and not in these numbers."
            )
        }
        self.freshness =
            "As of \(Shown.time(now)). "
            + (age.map { "The cluster was last heard of \($0). " } ?? "") + "All times are UTC."
    }
}

extension Pager {
    /// Lines on a page.
    static let size = 50
}
