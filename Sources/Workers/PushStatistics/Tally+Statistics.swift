import WireFormats

extension PushStatisticsRecord {
    /// Copies the counts, the lags and the times of a tally into the record.
    mutating func take(_ tally: Tally) {
        self.accepted = tally.accepted
        self.rejected = tally.rejectedTotal
        self.rejectedReasons = tally.rejected
        self.eligible = tally.eligible
        self.arrived = tally.arrived
        self.early = tally.early
        self.shown = tally.shown
        self.opened = tally.opened
        self.dismissed = tally.dismissed
        self.attachmentsShown = tally.attachmentsShown
        self.converted = tally.converted
        self.conversionValueMicros = tally.conversionValues.micros
        self.lag.edgesMS = tally.histogram?.edges ?? []
        self.lag.histogram = tally.histogram?.counts ?? []
        self.lag.p50MS = tally.sketch.lag(ofShare: 0.5)
        self.lag.p90MS = tally.sketch.lag(ofShare: 0.9)
        self.lag.sketch = tally.sketch
        self.lag.unknown = tally.lagUnknown
        self.hours = tally.hours
        self.duplicates = tally.duplicates
        self.lateDropped = tally.lateDropped
        self.ineligible = tally.ineligible
        self.unknownDevice = tally.unknownDevice
        self.skewAdjusted = tally.skewAdjusted
        self.firstArrivalMS = tally.firstArrival
        self.lastArrivalMS = tally.lastArrival
        self.sentMS = tally.firstSent
    }
}
