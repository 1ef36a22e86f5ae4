package import Records
import WireMessages

extension PushStatisticsRecord {
    /// The range of a count, 0 to 2^53: every tool reads these numbers exactly, and sums of a few of them
    /// cannot overflow.
    private static let counts: ClosedRange<Int64> = 0...(1 << 53)
    private static let dayBytes = 10

    /// Reads a record of `push-arrival.stats`, in any of the forms that a value may have. Rates are not read,
    /// because they follow from the counts.
    ///
    /// - Parameter bytesLimit: a value with more bytes is refused.
    package init(
        decoding record: borrowing InboundRecord,
        bytesLimit: Int = RecordPayload.bytesLimit
    ) throws(RecordFault) {
        let payload = try RecordPayload(of: record, bytesLimit: bytesLimit)
        try self.init(try payload.decode(as: Flotilla_Pusharrival_V1_PushStatistics.self))
    }

    init(_ message: Flotilla_Pusharrival_V1_PushStatistics) throws(RecordFault) {
        guard !message.messageID.isEmpty else {
            throw .invalid("message_id.missing", "The statistics name no message.")
        }
        self.init(
            provider: message.provider,
            appBundle: message.appBundle,
            messageID: message.messageID
        )
        self.campaignID = message.campaignID
        self.window = try Self.window(message)
        self.version = message.version
        self.isComplete = message.complete
        self.accepted = message.accepted
        self.rejected = message.rejected
        self.rejectedReasons = message.rejectedReasons
        self.eligible = message.eligible
        self.arrived = message.arrived
        self.shown = message.shown
        self.opened = message.opened
        self.dismissed = message.dismissed
        self.attachmentsShown = message.attachmentsShown
        self.early = message.early
        self.converted = message.converted
        self.conversionValueMicros = message.conversionValueMicros
        self.lag = try Lag(message)
        self.hours = try Self.hours(message)
        self.duplicates = message.duplicates
        self.lateDropped = message.lateDropped
        self.ineligible = message.ineligible
        self.unknownDevice = message.unknownDevice
        self.skewAdjusted = message.skewAdjusted
        self.firstArrivalMS = message.hasFirstArrivalMs ? message.firstArrivalMs : nil
        self.lastArrivalMS = message.hasLastArrivalMs ? message.lastArrivalMs : nil
        self.sentMS = message.hasSentMs ? message.sentMs : nil
        self.updatedMS = message.updatedMs
        try self.checkNumbers()
    }

    private static func window(
        _ message: Flotilla_Pusharrival_V1_PushStatistics
    ) throws(RecordFault) -> Window {
        switch message.window {
        case "cohort" where message.day.isEmpty: return .cohort
        case "day" where Self.isDay(message.day): return .day(message.day)
        case "segment" where Self.isDay(message.day):
            guard let dimension = PushSegments.Dimension(rawValue: message.segmentBy) else {
                throw .invalid("segment_by.unknown", "The segment is by no field that we know.")
            }
            return .segment(dimension, message.segment, day: message.day)
        default:
            throw .invalid("window.unknown", "The window is no cohort, no day and no segment.")
        }
    }

    private static func isDay(_ text: String) -> Bool {
        text.utf8.count == Self.dayBytes && RFC3339.milliseconds(text + "T00:00:00Z") != nil
    }

    private static func hours(
        _ message: Flotilla_Pusharrival_V1_PushStatistics
    ) throws(RecordFault) -> ArrivalHours {
        let (hours, counts) = (message.arrivalHour, message.arrivalHourCount)
        guard hours.count == counts.count, zip(hours, hours.dropFirst()).allSatisfy({ $0 < $1 }) else {
            throw .invalid("arrival_hour.malformed", "The counts of arrivals do not fit their hours.")
        }
        try Self.check(counts)
        return ArrivalHours(zip(hours, counts).map { (hour: $0, count: $1) })
    }

    /// Refuses counts and times out of range, so that later computations with them cannot overflow.
    private func checkNumbers() throws(RecordFault) {
        let counts =
            [
                self.version, self.accepted, self.rejected, self.eligible, self.arrived, self.shown,
                self.opened, self.dismissed, self.lag.unknown, self.duplicates, self.lateDropped,
                self.ineligible, self.unknownDevice, self.skewAdjusted, self.attachmentsShown, self.converted,
                self.early,
            ] + Array(self.rejectedReasons.values) + Array(self.conversionValueMicros.values)
            + self.lag.histogram + self.lag.edgesMS
            + [self.lag.p50MS, self.lag.p90MS].compactMap(\.self)
        try Self.check(counts)
        let times = [self.firstArrivalMS, self.lastArrivalMS, self.sentMS, self.updatedMS]
        guard times.allSatisfy({ $0.map(RFC3339.range.contains) ?? true }) else {
            throw .invalid("time.malformed", "A time is not in the years 1 to 9999.")
        }
    }

    fileprivate static func check(_ counts: [Int64]) throws(RecordFault) {
        guard counts.allSatisfy(self.counts.contains) else {
            throw .invalid("count.malformed", "A count is below 0 or above 2 to the power of 53.")
        }
    }
}

extension PushStatisticsRecord.Lag {
    fileprivate init(_ message: Flotilla_Pusharrival_V1_PushStatistics) throws(RecordFault) {
        let edges = message.lagEdgesMs
        guard message.lagHist.count == (edges.isEmpty ? 0 : edges.count + 1),
            zip(edges, edges.dropFirst()).allSatisfy({ $0 < $1 })
        else { throw .invalid("lag_hist.malformed", "The histogram does not fit its edges.") }
        let (indices, counts) = (message.lagSketchIndex, message.lagSketchCount)
        guard indices.count == counts.count, indices.allSatisfy({ $0 >= 0 }),
            zip(indices, indices.dropFirst()).allSatisfy({ $0 < $1 })
        else { throw .invalid("lag_sketch.malformed", "The sketch's counts do not fit its indices.") }
        try PushStatisticsRecord.check(counts)
        self.init()
        self.edgesMS = edges
        self.histogram = message.lagHist
        self.p50MS = message.hasLagP50Ms ? message.lagP50Ms : nil
        self.p90MS = message.hasLagP90Ms ? message.lagP90Ms : nil
        self.sketch = LagSketch(zip(indices, counts).map { (index: Int($0), count: $1) })
        self.unknown = message.lagUnknown
    }
}
