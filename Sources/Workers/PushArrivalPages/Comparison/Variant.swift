import WireFormats

/// A variant of a campaign: the messages of the campaign that have one message id, added up over providers and
/// apps.
///
/// An event needs no field that names its variant. Each variant has a text of its own, so its sender gives it a
/// message id of its own anyway, and push services do so too. The counts of each variant are therefore known
/// already, also for campaigns of the past.
struct Variant: Hashable, Sendable {
    let messageID: String
    /// The number of messages.
    private(set) var messages = 0
    private(set) var isComplete = true
    /// The first time of sending, in milliseconds since 1970; nil if none is known.
    private(set) var sentMS: Int64?
    private(set) var accepted: Int64 = 0
    private(set) var arrived: Int64 = 0
    private(set) var opened: Int64 = 0
    /// Whether the sending of each message is reported as far as its arrivals.
    private(set) var isSendingKnown = true

    private init(messageID: String) { self.messageID = messageID }

    private mutating func add(_ statistics: PushStatisticsRecord) {
        self.messages += 1
        self.isComplete = self.isComplete && statistics.isComplete
        if let sent = statistics.sentMS { self.sentMS = min(self.sentMS ?? .max, sent) }
        self.accepted = self.accepted.addingCapped(statistics.accepted)
        self.arrived = self.arrived.addingCapped(statistics.arrived)
        self.opened = self.opened.addingCapped(statistics.opened)
        self.isSendingKnown = self.isSendingKnown && statistics.sendingReports == .known
    }

    /// Returns the variants of a campaign, the first sent first. Events that name no message are no variant.
    ///
    /// - Parameters:
    ///   - campaign: the campaign's id.
    ///   - app: the bundle id; nil for all apps.
    static func all(in board: [PushStatisticsRecord], campaign: String, app: String?) -> [Variant] {
        var variants: [String: Variant] = [:]
        for statistics in board
        where statistics.window == .cohort && statistics.campaignID == campaign
            && app.map({ $0 == statistics.appBundle }) ?? true
        {
            variants[statistics.messageID, default: Variant(messageID: statistics.messageID)].add(statistics)
        }
        return variants.values.sorted {
            ($0.sentMS ?? .max, $0.messageID) < ($1.sentMS ?? .max, $1.messageID)
        }
    }

    /// Returns the counts of a measure; nil if they make no share, such as more opens than arrivals.
    func count(_ measure: Measure) -> ReachedDevices? {
        switch measure {
        case .opened: ReachedDevices(self.opened, of: self.accepted)
        case .arrived: ReachedDevices(self.arrived, of: self.accepted)
        case .openedOfArrived: ReachedDevices(self.opened, of: self.arrived)
        }
    }
}
