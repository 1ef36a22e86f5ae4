import WireFormats

/// The messages of one campaign with their sums.
struct CampaignGroup: Hashable, Sendable {
    /// The campaign's id; empty for the messages that name none.
    let name: String
    /// The messages, in the order of the list.
    private(set) var messages: [PushStatisticsRecord] = []
    private(set) var totals = RateTotals()
    /// The latest time of sending, in milliseconds since 1970; nil if none is known.
    private(set) var sentMS: Int64?
    /// The time of the latest snapshot, in milliseconds since 1970.
    private(set) var updatedMS: Int64 = .min

    private init(name: String) { self.name = name }

    private mutating func add(_ statistics: PushStatisticsRecord) {
        self.messages.append(statistics)
        self.totals.add(statistics)
        if let sent = statistics.sentMS { self.sentMS = max(self.sentMS ?? .min, sent) }
        self.updatedMS = max(self.updatedMS, statistics.updatedMS)
    }

    /// Returns the campaigns of some messages, in the order of their first messages.
    static func groups(of messages: [PushStatisticsRecord]) -> [CampaignGroup] {
        var groups: [CampaignGroup] = []
        var places: [String: Int] = [:]
        for statistics in messages {
            let name = statistics.campaignID
            let place = places[name] ?? groups.count
            if place == groups.count {
                places[name] = place
                groups.append(CampaignGroup(name: name))
            }
            groups[place].add(statistics)
        }
        return groups
    }

    /// Returns the value of the campaign in a column; nil if it has none. A campaign has no median of its own.
    func rank(_ column: MessageOrder.Column) -> MessageRank? {
        switch column {
        case .message: .text(self.name.lowercased())
        case .state: .number(self.totals.counting == 0 ? 1 : 0)
        case .sent: self.sentMS.map { .number($0) }
        case .accepted: .number(self.totals.accepted)
        case .arrived: self.totals.arrivalRate.value.map { .share($0) }
        case .opened: self.totals.openRate.value.map { .share($0) }
        case .median: nil
        case .updated: .number(self.updatedMS)
        }
    }
}
