import WebPages
import WireFormats

/// A row of the list: a message, or a campaign with its sums.
struct ListRow: Sendable {
    /// A point in time.
    struct Time: Sendable {
        /// The text of the cell.
        var text: String
        /// The time in UTC.
        var title: String
        /// The time for machines, as the `datetime` of the `time` element.
        var machine: String
    }

    /// The classes of the row.
    var style = ""
    var name: String
    /// The address of the message's page, or of the list with this campaign unfolded or folded; nil if it
    /// would be too long for a request.
    var address: String?
    /// The value of `aria-expanded` for a campaign; nil for a message.
    var isExpanded: String?
    var origin: String
    /// The address of the comparison of a campaign's variants; nil if there is nothing to compare.
    var comparison: String?
    var stateClass: String
    var state: String
    var sent: Time?
    var accepted: String
    var arrivalRate: String
    var arrived: String
    /// The reason why there is no arrival rate; nil if there is one or nothing is to be said.
    var noRate: String?
    /// The length of the bar of arrivals, in units of `FunnelBar`.
    var arrivedBar: Int
    var openRate: String
    var opened: String
    var median: String
    var updated: Time

    /// The longest address that becomes a link, in bytes.
    private static let longestAddress = 8_000
    /// The greatest number of messages that are shown below an unfolded campaign.
    private static let unfoldedLimit = 100

    /// Returns the rows of one page of messages, and the number of all messages.
    static func messages(_ all: [PushStatisticsRecord], page: Int, now: Int64) -> (
        rows: [ListRow], total: Int
    ) {
        let shown = all.dropFirst(page * Pager.size).prefix(Pager.size)
        return (shown.map { ListRow($0, now: now) }, all.count)
    }

    /// Returns the rows of one page of campaigns, each followed by its messages if it is unfolded, and the
    /// number of all campaigns.
    static func campaigns(
        _ all: [PushStatisticsRecord],
        _ order: MessageOrder,
        page: Int,
        fields: FormFields,
        now: Int64
    ) -> (rows: [ListRow], total: Int) {
        let groups = order.sorted(CampaignGroup.groups(of: all)) { $0.rank(order.column) }
        let open = Set(fields.all("open"))
        var rows: [ListRow] = []
        for group in groups.dropFirst(page * Pager.size).prefix(Pager.size) {
            let word = Self.word(of: group)
            let isOpen = open.contains(word)
            rows.append(
                ListRow(group, isOpen: isOpen, toggling: Self.toggle(word, in: fields, page: page), now: now)
            )
            guard isOpen else { continue }
            rows += group.messages.prefix(Self.unfoldedLimit).map {
                var row = ListRow($0, now: now)
                row.style = "inside"
                return row
            }
        }
        return (rows, groups.count)
    }

    /// Returns the word that stands for a campaign in a query. A query cannot ask for an empty value, so the
    /// messages without a campaign have a word, too.
    private static func word(of group: CampaignGroup) -> String {
        group.name.trimmed.isEmpty ? "-" : String(group.name.trimmed.prefix(MessageFilter.longest))
    }

    /// Returns the address of this page with a campaign folded or unfolded.
    private static func toggle(_ campaign: String, in fields: FormFields, page: Int) -> String {
        var toggled = FormFields()
        var isOpen = false
        for pair in fields.pairs {
            if pair.name == "open", pair.value == campaign {
                isOpen = true
            } else {
                toggled.add(pair.name, pair.value)
            }
        }
        if !isOpen { toggled.add("open", campaign) }
        if page > 0 { toggled.add("page", String(page + 1)) }
        return ListModel.address("/", toggled)
    }

    private init(_ statistics: PushStatisticsRecord, now: Int64) {
        let key = statistics.key
        self.name = key.title
        self.address = Self.link(key.address)
        self.origin = [statistics.campaignID, statistics.appBundle, statistics.provider].filter {
            !$0.isEmpty
        }
        .map { SafeText.line($0, limit: 60) }.joined(separator: " · ")
        self.stateClass = statistics.isComplete ? "complete" : "counting"
        self.state = self.stateClass
        self.sent = statistics.sentMS.map { Self.time($0, text: Self.day($0)) }
        self.accepted = Shown.number(Int(statistics.accepted))
        self.arrivalRate = Share.text(statistics.knownArrivalRate)
        self.arrived = Shown.number(Int(statistics.arrived))
        switch statistics.sendingReports {
        case .known: self.noRate = nil
        case .missing: self.noRate = "sending not reported"
        case .behind: self.noRate = "reports of sending behind"
        }
        self.arrivedBar =
            FunnelBar(statistics.arrived, before: nil, longest: max(statistics.accepted, statistics.arrived))
            .bar
        self.openRate = Share.text(statistics.knownOpenRate)
        self.opened = Shown.number(Int(statistics.opened))
        self.median = statistics.lag.p50MS.map(LagText.text) ?? Share.none
        self.updated = Self.time(statistics.updatedMS, text: Shown.ago(statistics.updatedMS, now: now))
    }

    private init(_ group: CampaignGroup, isOpen: Bool, toggling address: String, now: Int64) {
        let totals = group.totals
        self.style = "campaign"
        self.name = group.name.isEmpty ? "No campaign" : SafeText.line(group.name, limit: 120)
        self.address = Self.link(address)
        self.isExpanded = isOpen ? "true" : "false"
        self.origin = Shown.count(totals.messages, "message")
        self.comparison = group.comparison
        if isOpen, totals.messages > Self.unfoldedLimit {
            self.origin += ", the first \(Self.unfoldedLimit) below"
        }
        self.stateClass = totals.counting == 0 ? "complete" : "counting"
        self.state = totals.counting == 0 ? "complete" : "\(Shown.number(totals.counting)) counting"
        self.sent = group.sentMS.map { Self.time($0, text: Self.day($0)) }
        self.accepted = Shown.number(Int(totals.accepted))
        self.arrivalRate = Share.text(totals.arrivalRate.value)
        self.arrived = Shown.number(Int(totals.arrived))
        let apart = totals.unreported.messages + totals.behind.messages
        self.noRate = apart == 0 ? nil : "without \(Shown.count(apart, "message"))"
        let (part, whole) = (totals.arrivalRate.part, totals.arrivalRate.whole)
        self.arrivedBar = FunnelBar(part, before: nil, longest: whole).bar
        self.openRate = Share.text(totals.openRate.value)
        self.opened = Shown.number(Int(totals.opened))
        self.median = Share.none
        self.updated = Self.time(group.updatedMS, text: Shown.ago(group.updatedMS, now: now))
    }

    private static func link(_ address: String) -> String? {
        address.utf8.count <= self.longestAddress ? address : nil
    }

    private static func time(_ milliseconds: Int64, text: String) -> Time {
        Time(text: text, title: Shown.time(milliseconds), machine: Shown.machineTime(milliseconds))
    }

    /// Returns the day and the minute of a time, in UTC.
    private static func day(_ milliseconds: Int64) -> String {
        let time = Shown.time(milliseconds)
        return time.hasSuffix(" UTC") ? String(time.prefix(16)) : time
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
    var address: String { "/message?\(self.fields.text)" }

    /// The query that names the message.
    var fields: FormFields {
        var fields = FormFields()
        fields.add("provider", self.provider)
        fields.add("app", self.appBundle)
        fields.add("id", self.messageID)
        if !self.day.isEmpty { fields.add("day", self.day) }
        return fields
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
