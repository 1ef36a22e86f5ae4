import WebPages
import WireFormats

/// The values of the list page: messages or campaigns with their main rates.
struct ListModel: Sendable {
    /// A text field of the filter.
    struct Input: Sendable {
        var name: String
        var label: String
        /// The `type` of the `input` element.
        var type: String
        var value: String
        /// The values that the browser suggests for the field.
        var choices: [String]
    }

    /// A field of the filter with a list of choices.
    struct Choice: Sendable {
        struct Option: Sendable {
            var value: String
            var label: String
            var isChosen: Bool
        }

        var name: String
        var label: String
        var options: [Option]
    }

    /// The heading of a column; its link orders the list by that column.
    struct Heading: Sendable {
        var label: String
        var address: String
        /// The value of `aria-sort`.
        var sort: String
        /// The classes of the cell.
        var style: String
        /// The arrow that shows the direction; empty if the list has another order.
        var arrow: String
    }

    /// A sum over all messages of the list.
    struct Total: Sendable {
        var label: String
        var value: String
        var note: String?
        var isLarge = false
    }

    /// A sentence about messages that are in no rate, with a link to them.
    struct Apart: Sendable {
        var sentence: String
        var address: String?
    }

    var frame: Frame
    var inputs: [Input]
    var choices: [Choice]
    /// The fields of the query that the filter's form has to keep.
    var kept: [FormFields.Pair]
    var isFiltered: Bool
    var faults: [String]
    var hasRows: Bool
    var headings: [Heading]
    var rows: [ListRow]
    var pager: Pager?
    /// The sentence that is shown instead of an empty list.
    var nothing: String
    var totals: [Total]
    var apart: [Apart]
    var caption: String
    /// The label and the address of the other way to show the list: by message or by campaign.
    var otherView: (label: String, address: String)
    var csvAddress: String
    var jsonAddress: String

    /// The greatest number of suggestions for a field.
    private static let choicesLimit = 100
    /// The names of the fields that say how the list is shown. They are no part of the filter.
    private static let viewNames = MessageOrder.names + ["group", "open"]

    /// Creates the model of one page of the list.
    ///
    /// - Parameters:
    ///   - board: all statistics that are shown, the last update first.
    ///   - query: the filter, the order, the number of the page, and the campaigns that are unfolded.
    ///   - frame: the values around the content.
    ///   - now: the wall-clock time in milliseconds since 1970.
    init(_ board: [PushStatisticsRecord], _ query: FormFields, frame: Frame, now: Int64) {
        let asked = MessageQuery(query)
        let matching = asked.selection(of: board)
        let fields = MessageQuery.kept(query)
        let isGrouped = query["group"] == "campaign"
        self.frame = frame
        self.inputs = Self.inputs(board, query)
        self.choices = Self.choices(query)
        self.kept = fields.only(Set(Self.viewNames)).pairs
        self.isFiltered = !asked.filter.isEmpty
        self.faults = asked.faults
        let page = Pager.page(query)
        let shown =
            isGrouped
            ? ListRow.campaigns(matching, asked.order, page: page, fields: fields, now: now)
            : ListRow.messages(matching, page: page, now: now)
        self.rows = shown.rows
        self.hasRows = !self.rows.isEmpty
        self.pager = Pager(page, of: shown.total, by: Pager.size, at: "/", fields)
        self.headings = Self.headings(asked.order, isGrouped: isGrouped, fields: fields)
        self.nothing =
            board.isEmpty
            ? "No message has statistics yet. They appear here as soon as the first notification is sent."
            : matching.isEmpty
                ? "None of the \(Shown.count(board.count, "message")) is like that."
                : "There are no more messages."
        let totals = RateTotals(matching)
        self.totals = Self.totals(totals)
        self.apart = Self.apart(totals, fields)
        self.caption =
            isGrouped ? "Campaigns; a click on a name shows its messages" : "Messages"
        var other = fields.without("group").without("open")
        if !isGrouped { other.add("group", "campaign") }
        self.otherView = (isGrouped ? "Show single messages" : "Show campaigns", Self.address("/", other))
        let question = fields.without("group").without("open")
        self.csvAddress = Self.address("/export.csv", question)
        self.jsonAddress = Self.address("/export.json", question)
    }

    /// Returns a path with a query.
    static func address(_ path: String, _ fields: FormFields) -> String {
        fields.pairs.isEmpty ? path : "\(path)?\(fields.text)"
    }

    private static func totals(_ totals: RateTotals) -> [Total] {
        [
            Total(
                label: "Arrived, of accepted",
                value: Share.text(totals.arrivalRate.value),
                note: "\(Self.number(totals.arrivalRate.part)) of \(Self.number(totals.arrivalRate.whole))",
                isLarge: true
            ),
            Total(
                label: "Opened, of arrived",
                value: Share.text(totals.openRate.value),
                note: "\(Self.number(totals.openRate.part)) of \(Self.number(totals.openRate.whole))",
                isLarge: true
            ),
            Total(
                label: "Messages",
                value: Shown.number(totals.messages),
                note: "\(Shown.number(totals.counting)) still counting"
            ),
            Total(label: "Accepted", value: Self.number(totals.accepted)),
            Total(label: "Arrived", value: Self.number(totals.arrived)),
            Total(label: "Opened", value: Self.number(totals.opened)),
        ]
    }

    private static func number(_ count: Int64) -> String { Shown.number(Int(count)) }

    /// Returns a sentence for each kind of messages that are in no rate.
    private static func apart(_ totals: RateTotals, _ fields: FormFields) -> [Apart] {
        func address(_ reports: SendingReports) -> String {
            var fields = fields.without("reports")
            fields.add("reports", reports.rawValue)
            return Self.address("/", fields)
        }
        func count(_ apart: RateTotals.Apart) -> String { Shown.count(apart.messages, "message") }
        var apart: [Apart] = []
        if totals.unreported.messages > 0 {
            let arrivals = Shown.count(Int(totals.unreported.devices), "arrival")
            apart.append(
                Apart(
                    sentence: "Not in the arrival rate: \(count(totals.unreported)) with \(arrivals) whose "
                        + "sending has not been reported.",
                    address: address(.missing)
                )
            )
        }
        if totals.behind.messages > 0 {
            let more = Self.number(totals.behind.devices)
            apart.append(
                Apart(
                    sentence: "Not in the arrival rate: \(count(totals.behind)) with \(more) more arrivals "
                        + "than accepted devices; the sender's reports are behind.",
                    address: address(.behind)
                )
            )
        }
        if totals.openedUnseen.messages > 0 {
            let more = Self.number(totals.openedUnseen.devices)
            apart.append(
                Apart(
                    sentence: "Not in the open rate: \(count(totals.openedUnseen)) with \(more) more opens "
                        + "than reported arrivals."
                )
            )
        }
        return apart
    }

    private static func headings(_ order: MessageOrder, isGrouped: Bool, fields: FormFields) -> [Heading] {
        MessageOrder.Column.allCases.map { column in
            var asking = fields.without("sort").without("order")
            for field in order.fields(asking: column) { asking.add(field.name, field.value) }
            let decides = column == order.column
            return Heading(
                label: column == .message && isGrouped ? "Campaign" : column.label,
                address: Self.address("/", asking),
                sort: decides ? (order.isAscending ? "ascending" : "descending") : "none",
                style: column.style,
                arrow: decides ? (order.isAscending ? " ▲" : " ▼") : ""
            )
        }
    }

    private static func inputs(_ board: [PushStatisticsRecord], _ query: FormFields) -> [Input] {
        self.names(board, query) + [
            self.input("from", "Sent from (UTC)", in: query, type: "date"),
            self.input("to", "Sent to (UTC)", in: query, type: "date"),
        ]
    }

    static func input(
        _ name: String,
        _ label: String,
        in query: FormFields,
        type: String = "text",
        choices: [String] = []
    ) -> Input {
        Input(
            name: name,
            label: label,
            type: type,
            value: String((query[name] ?? "").prefix(MessageFilter.longest)),
            choices: choices
        )
    }

    /// Returns the fields that choose messages by their names.
    static func names(_ board: [PushStatisticsRecord], _ query: FormFields) -> [Input] {
        [
            self.input("app", "App", in: query, choices: self.choices(board.lazy.map(\.appBundle))),
            self.input("provider", "Provider", in: query, choices: self.choices(board.lazy.map(\.provider))),
            self.input(
                "campaign",
                "Campaign",
                in: query,
                choices: self.choices(board.lazy.map(\.campaignID))
            ),
            self.input("text", "Any text", in: query),
        ]
    }

    /// Returns the values that a field suggests: the different short ones, in their order.
    static func choices(_ values: some Sequence<String>) -> [String] {
        Set(values.filter { !$0.isEmpty && $0.utf8.count <= 100 }).sorted().prefix(Self.choicesLimit)
            .map(\.self)
    }

    private static func choices(_ query: FormFields) -> [Choice] {
        func choice(_ name: String, _ label: String, options: [(value: String, label: String)]) -> Choice {
            Choice(
                name: name,
                label: label,
                options: options.map {
                    Choice.Option(value: $0.value, label: $0.label, isChosen: query[name] ?? "" == $0.value)
                }
            )
        }
        return [
            choice(
                "state",
                "State",
                options: [("", "Any"), ("counting", "Counting"), ("complete", "Complete")]
            ),
            choice(
                "reports",
                "Reports of sending",
                options: [("", "Any"), ("known", "Complete"), ("missing", "Missing"), ("behind", "Behind")]
            ),
        ]
    }
}

extension MessageOrder.Column {
    /// The heading of the column.
    fileprivate var label: String {
        switch self {
        case .message: "Message"
        case .state: "State"
        case .sent: "Sent"
        case .accepted: "Accepted"
        case .arrived: "Arrived"
        case .opened: "Opened"
        case .median: "Half arrive within"
        case .updated: "Updated"
        }
    }

    /// The classes of the heading's cell.
    fileprivate var style: String {
        switch self {
        case .message, .arrived: "c-\(self.rawValue)"
        case .state, .sent: "c-\(self.rawValue)"
        case .accepted, .opened, .median, .updated: "n c-\(self.rawValue)"
        }
    }
}
