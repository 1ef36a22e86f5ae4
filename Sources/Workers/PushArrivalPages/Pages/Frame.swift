import WebPages
import WireFormats

/// The values around the content of every page: title, state of the reading, and reload times.
struct Frame: Sendable {
    var title: String
    /// The seconds after which a script loads the changing part of the page again.
    var reload = 3
    /// The seconds after which a browser without scripts loads the whole page again; nil if it must
    /// not.
    var slowReload: Int? = 10
    /// The state of the reading as a CSS class: `away`, `reading` or `live`.
    var stateClass: String
    /// The state of the reading in words.
    var state: String
    /// Warnings that a reader must know before they trust the numbers.
    var alerts: [String] = []
    /// A sentence that says how old the numbers are.
    var freshness: String

    /// Creates a frame.
    ///
    /// - Parameters:
    ///   - title: the title of the page.
    ///   - standing: the state of the reading.
    ///   - topic: the name of the statistics topic.
    ///   - now: the wall-clock time in milliseconds since 1970.
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
                "\(Shown.count(Int(standing.unreadable), one, plural: many)) no statistics, and not in these numbers."
            )
        }
        self.freshness =
            "As of \(Shown.time(now)). "
            + (age.map { "The cluster was last heard of \($0). " } ?? "") + "All times are UTC."
    }
}

extension Pager {
    /// The number of messages on one page of the list.
    static let size = 50
}
