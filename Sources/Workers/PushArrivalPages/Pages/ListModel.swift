import WebPages
import WireFormats

/// The values of the list page: the messages that were updated last, with their main rates.
struct ListModel: Sendable {
    /// A text field of the filter.
    struct Input: Sendable {
        var name: String
        var label: String
        var value: String
        /// The values that the browser suggests for the field.
        var choices: [String]
    }

    /// A message of the list.
    struct Row: Sendable {
        var id: String
        /// The address of the message's page; nil if it would be too long for a request.
        var address: String?
        var origin: String
        var stateClass: String
        var state: String
        var accepted: String
        var arrivalRate: String
        var arrived: String
        /// The length of the bar of arrivals, in units of `FunnelBar`.
        var arrivedBar: Int
        var openRate: String
        var opened: String
        var median: String
        var updated: String
        var updatedTime: String
        /// The time of the last update for machines, as the `datetime` of the `time` element.
        var updatedMachine: String
    }

    var frame: Frame
    var inputs: [Input]
    var isFiltered: Bool
    var hasRows: Bool
    var rows: [Row]
    var pager: Pager?
    /// The sentence that is shown instead of an empty list.
    var nothing: String

    var messageTotal: String
    var countingTotal: String
    var acceptedTotal: String
    var arrivedTotal: String
    var arrivalRateTotal: String
    var openedTotal: String
    var openRateTotal: String

    /// The greatest number of suggestions for a field.
    private static let choicesLimit = 100

    /// Creates the model of one page of the list.
    ///
    /// - Parameters:
    ///   - board: all statistics that are shown, the last update first.
    ///   - query: the filter and the number of the page.
    ///   - frame: the values around the content.
    ///   - now: the wall-clock time in milliseconds since 1970.
    init(_ board: [PushStatisticsRecord], _ query: FormFields, frame: Frame, now: Int64) {
        let filter = MessageFilter(query)
        let matching = board.filter(filter.matches)
        let page = Pager.page(query)
        self.frame = frame
        self.inputs = Self.inputs(board, query)
        self.isFiltered = !filter.isEmpty
        self.rows = matching.dropFirst(page * Pager.size).prefix(Pager.size).map { Row($0, now: now) }
        self.hasRows = !self.rows.isEmpty
        self.pager = Pager(
            page,
            of: matching.count,
            by: Pager.size,
            at: "/",
            query.only(Set(MessageFilter.names))
        )
        self.nothing =
            board.isEmpty
            ? "No message has statistics yet. They appear here as soon as the first notification is sent."
            : matching.isEmpty
                ? "None of the \(Shown.count(board.count, "message")) is like that."
                : "There are no more messages."
        let accepted = Self.sum(matching, \.accepted)
        let (arrived, opened) = (Self.sum(matching, \.arrived), Self.sum(matching, \.opened))
        self.messageTotal = Shown.number(matching.count)
        self.countingTotal = Shown.number(matching.count { !$0.isComplete })
        self.acceptedTotal = Shown.number(Int(accepted))
        self.arrivedTotal = Shown.number(Int(arrived))
        self.arrivalRateTotal = Share.text(arrived, of: accepted)
        self.openedTotal = Shown.number(Int(opened))
        self.openRateTotal = Share.text(opened, of: arrived)
    }

    /// Adds up one count over all statistics. A sum that is too large becomes the greatest number.
    private static func sum(_ all: [PushStatisticsRecord], _ count: KeyPath<PushStatisticsRecord, Int64>)
        -> Int64
    {
        all.reduce(0) { sum, statistics in
            let (total, overflows) = sum.addingReportingOverflow(statistics[keyPath: count])
            return overflows ? .max : total
        }
    }

    private static func inputs(_ board: [PushStatisticsRecord], _ query: FormFields) -> [Input] {
        func choices(_ value: (PushStatisticsRecord) -> String) -> [String] {
            Set(board.lazy.map(value).filter { !$0.isEmpty && $0.utf8.count <= 100 }).sorted()
                .prefix(Self.choicesLimit).map { $0 }
        }
        func input(_ name: String, _ label: String, choices: [String]) -> Input {
            Input(name: name, label: label, value: String((query[name] ?? "").prefix(200)), choices: choices)
        }
        return [
            input("app", "App", choices: choices(\.appBundle)),
            input("provider", "Provider", choices: choices(\.provider)),
            input("campaign", "Campaign", choices: choices(\.campaignID)),
            input("text", "Any text", choices: []),
        ]
    }
}

extension ListModel.Row {
    /// The longest address that becomes a link, in bytes.
    private static let longestAddress = 8_000

    init(_ statistics: PushStatisticsRecord, now: Int64) {
        let key = statistics.key
        let address = key.address
        self.id = key.title
        self.address = address.utf8.count <= Self.longestAddress ? address : nil
        self.origin = [statistics.campaignID, statistics.appBundle, statistics.provider].filter {
            !$0.isEmpty
        }
        .map { SafeText.line($0, limit: 60) }.joined(separator: " · ")
        self.stateClass = statistics.isComplete ? "complete" : "counting"
        self.state = statistics.isComplete ? "complete" : "counting"
        self.accepted = Shown.number(Int(statistics.accepted))
        self.arrivalRate = Share.text(statistics.arrivalRate)
        self.arrived = Shown.number(Int(statistics.arrived))
        self.arrivedBar =
            FunnelBar(statistics.arrived, before: nil, longest: max(statistics.accepted, statistics.arrived))
            .bar
        self.openRate = Share.text(statistics.openRate)
        self.opened = Shown.number(Int(statistics.opened))
        self.median = statistics.lag.p50MS.map(LagText.text) ?? Share.none
        self.updated = Shown.ago(statistics.updatedMS, now: now)
        self.updatedTime = Shown.time(statistics.updatedMS)
        self.updatedMachine = Shown.machineTime(statistics.updatedMS)
    }
}

extension CohortKey {
    /// The heading of the message's page: one line of limited length.
    var title: String {
        self.day.isEmpty
            ? SafeText.line(self.messageID, limit: 120)
            : "No message id, \(SafeText.line(self.day, limit: 20))"
    }

    /// The path and query of the message's page.
    var address: String {
        var fields = FormFields()
        fields.add("provider", self.provider)
        fields.add("app", self.appBundle)
        fields.add("id", self.messageID)
        if !self.day.isEmpty { fields.add("day", self.day) }
        return "/message?\(fields.text)"
    }

    /// Reads the key of a message from the query of its page; nil if the query has no message id.
    init?(_ query: FormFields) {
        guard let message = query.exactly("id"), !message.isEmpty else { return nil }
        self.init(
            provider: query.exactly("provider") ?? "",
            appBundle: query.exactly("app") ?? "",
            messageID: message,
            day: query.exactly("day") ?? ""
        )
    }
}
