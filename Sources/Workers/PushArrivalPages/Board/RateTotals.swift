import WireFormats

/// The counts of many messages added up.
///
/// A rate covers only messages whose both sides are known. An arrival whose sending nobody has reported would
/// otherwise stand in the numerator alone, and the rate could exceed 100 %. The other messages are counted
/// apart. A sum that is too large becomes the greatest number.
struct RateTotals: Hashable, Sendable {
    /// Messages that are in no rate, and the devices that they report.
    struct Apart: Hashable, Sendable {
        private(set) var messages = 0
        private(set) var devices: Int64 = 0

        fileprivate mutating func add(_ devices: Int64) {
            self.messages += 1
            self.devices = self.devices.addingCapped(devices)
        }
    }

    /// The two sides of a rate.
    struct Rate: Hashable, Sendable {
        private(set) var part: Int64 = 0
        private(set) var whole: Int64 = 0

        /// The rate; nil if nothing is known.
        var value: Double? { PushStatisticsRecord.rate(self.part, of: self.whole) }

        fileprivate mutating func add(_ part: Int64, of whole: Int64) {
            self.part = self.part.addingCapped(part)
            self.whole = self.whole.addingCapped(whole)
        }
    }

    private(set) var messages = 0
    /// The messages whose numbers may still change.
    private(set) var counting = 0
    private(set) var accepted: Int64 = 0
    private(set) var arrived: Int64 = 0
    private(set) var opened: Int64 = 0
    /// Arrivals of accepted devices.
    private(set) var arrivalRate = Rate()
    /// Opens of arrivals.
    private(set) var openRate = Rate()
    /// Messages whose sending nobody has reported, with their arrivals.
    private(set) var unreported = Apart()
    /// Messages with more arrivals than accepted devices, with the arrivals that are too many.
    private(set) var behind = Apart()
    /// Messages with more opens than arrivals, with the opens that are too many.
    private(set) var openedUnseen = Apart()

    init() {}

    init(_ all: some Sequence<PushStatisticsRecord>) {
        for statistics in all { self.add(statistics) }
    }

    mutating func add(_ statistics: PushStatisticsRecord) {
        self.messages += 1
        if !statistics.isComplete { self.counting += 1 }
        self.accepted = self.accepted.addingCapped(statistics.accepted)
        self.arrived = self.arrived.addingCapped(statistics.arrived)
        self.opened = self.opened.addingCapped(statistics.opened)
        switch statistics.sendingReports {
        case .known: self.arrivalRate.add(statistics.arrived, of: statistics.accepted)
        case .missing: self.unreported.add(statistics.arrived)
        case .behind: self.behind.add(statistics.arrived.subtractingCapped(statistics.accepted))
        }
        if statistics.opened > statistics.arrived {
            self.openedUnseen.add(statistics.opened.subtractingCapped(statistics.arrived))
        } else {
            self.openRate.add(statistics.opened, of: statistics.arrived)
        }
    }
}

/// The completeness of the sender's reports about a message; the raw value is the word in a query.
enum SendingReports: String, Hashable, Sendable, CaseIterable {
    /// At least as many devices were accepted as have reported an arrival.
    case known
    /// Devices have reported arrivals, and nobody has reported a sending.
    case missing
    /// More devices have reported an arrival than were accepted so far.
    case behind
}

extension PushStatisticsRecord {
    /// The completeness of the sender's reports about this message.
    var sendingReports: SendingReports {
        if self.arrived <= self.accepted { return .known }
        return self.accepted == 0 && self.rejected == 0 ? .missing : .behind
    }

    /// The arrivals divided by the accepted devices; nil if the sender's reports do not cover the arrivals.
    var knownArrivalRate: Double? { self.sendingReports == .known ? self.arrivalRate : nil }

    /// The arrivals divided by the eligible devices; nil if there are more arrivals than these.
    var knownEligibleRate: Double? { self.arrived <= self.eligible ? self.eligibleArrivalRate : nil }

    /// The opens divided by the accepted devices; nil if the sender's reports do not cover the opens.
    var knownClickRate: Double? { self.opened <= self.accepted ? self.clickThroughRate : nil }

    /// The opens divided by the arrivals; nil if there are more opens than arrivals.
    var knownOpenRate: Double? { self.opened <= self.arrived ? self.openRate : nil }
}

extension Int64 {
    /// Returns the sum, or the greatest number if the sum is greater.
    func addingCapped(_ other: Int64) -> Int64 {
        let (sum, overflows) = self.addingReportingOverflow(other)
        return overflows ? .max : sum
    }

    /// Returns the difference, or the greatest number if the difference is greater.
    fileprivate func subtractingCapped(_ other: Int64) -> Int64 {
        let (difference, overflows) = self.subtractingReportingOverflow(other)
        return overflows ? .max : difference
    }
}
