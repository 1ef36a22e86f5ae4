package import WireMessages

extension Flotilla_Pusharrival_V1_PushStatistics {
    /// What a tally says; whose it is, and when, is for the caller to add.
    package init(_ tally: Tally) {
        self.init()
        self.sent = tally.sent
        self.accepted = tally.accepted
        self.rejected = tally.rejectedTotal
        self.rejectedReasons = tally.rejected
        self.eligible = tally.eligible
        self.arrived = tally.arrived
        self.shown = tally.shown
        self.opened = tally.opened
        self.dismissed = tally.dismissed
        if let rate = Self.rate(tally.arrived, of: tally.accepted) { self.arrivalRate = rate }
        if let rate = Self.rate(tally.arrived, of: tally.eligible) { self.eligibleArrivalRate = rate }
        if let rate = Self.rate(tally.shown, of: tally.arrived) { self.shownRate = rate }
        if let rate = Self.rate(tally.opened, of: tally.arrived) { self.openRate = rate }
        if let rate = Self.rate(tally.opened, of: tally.accepted) { self.ctr = rate }
        self.lagEdgesMs = tally.histogram?.edges ?? []
        self.lagHist = tally.histogram?.counts ?? []
        if let lag = tally.sketch.lag(ofShare: 0.5) { self.lagP50Ms = lag }
        if let lag = tally.sketch.lag(ofShare: 0.9) { self.lagP90Ms = lag }
        let buckets = tally.sketch.buckets
        self.lagSketchIndex = buckets.map { Int32(clamping: $0.index) }
        self.lagSketchCount = buckets.map(\.count)
        self.lagUnknown = tally.lagUnknown
        self.duplicates = tally.duplicates
        self.lateDropped = tally.lateDropped
        self.ineligible = tally.ineligible
        self.unknownDevice = tally.unknownDevice
        self.skewAdjusted = tally.skewAdjusted
        if let time = tally.firstArrival { self.firstArrivalMs = time }
        if let time = tally.lastArrival { self.lastArrivalMs = time }
        if let time = tally.firstSent { self.sentMs = time }
    }

    private static func rate(_ part: Int64, of whole: Int64) -> Double? {
        whole > 0 ? Double(part) / Double(whole) : nil
    }
}
