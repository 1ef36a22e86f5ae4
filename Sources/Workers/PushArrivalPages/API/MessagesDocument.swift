import WireFormats

/// The answer of the read API about messages: the sums over all messages that match, and one page of them.
struct MessagesDocument: Encodable, Sendable {
    /// The sums of `RateTotals`.
    struct Totals: Encodable, Sendable {
        var messages: Int
        var counting: Int
        var accepted: Int64
        var arrived: Int64
        var opened: Int64
        /// Over the messages whose sending is known; nil if there are none.
        var arrivalRate: Double?
        var openRate: Double?
        /// The messages that are not in `arrivalRate`, because nobody has reported their sending.
        var messagesWithoutSending: Int
        var arrivalsWithoutSending: Int64
        /// The messages that are not in `arrivalRate`, because they have more arrivals than accepted devices.
        var messagesBehind: Int
        /// The messages that are not in `openRate`, because they have more opens than arrivals.
        var messagesOpenedUnseen: Int

        init(_ totals: RateTotals) {
            self.messages = totals.messages
            self.counting = totals.counting
            self.accepted = totals.accepted
            self.arrived = totals.arrived
            self.opened = totals.opened
            self.arrivalRate = totals.arrivalRate.value
            self.openRate = totals.openRate.value
            self.messagesWithoutSending = totals.unreported.messages
            self.arrivalsWithoutSending = totals.unreported.devices
            self.messagesBehind = totals.behind.messages
            self.messagesOpenedUnseen = totals.openedUnseen.messages
        }
    }

    var totals: Totals
    /// The number of the page, counted from 1.
    var page: Int
    /// The greatest number of messages on a page.
    var limit: Int
    /// The number of messages that match and are on no page: an export has one page.
    var leftOut: Int
    var messages: [MessageSummary]

    /// The number of messages on a page if the request names none, and the greatest that it may name.
    static let pageSizes = (usual: 100, largest: 1_000)
    /// The greatest number of messages of an export.
    static let exportLimit = 20_000

    /// Makes the document of one page. `page` counts from 0.
    init(_ selection: [PushStatisticsRecord], page: Int, limit: Int) {
        self.init(selection, shown: selection.dropFirst(page * limit).prefix(limit))
        self.page = page + 1
        self.limit = limit
    }

    /// Makes the document of an export.
    init(exporting selection: [PushStatisticsRecord]) {
        self.init(selection, shown: selection.prefix(Self.exportLimit))
        self.limit = Self.exportLimit
        self.leftOut = selection.count - self.messages.count
    }

    private init(_ selection: [PushStatisticsRecord], shown: ArraySlice<PushStatisticsRecord>) {
        self.totals = Totals(RateTotals(selection))
        self.page = 1
        self.limit = 0
        self.leftOut = 0
        self.messages = shown.map { MessageSummary($0) }
    }
}

/// The answer of the read API to a request that it cannot answer.
struct FaultDocument: Encodable, Sendable {
    /// A sentence for each fault.
    var faults: [String]
}
