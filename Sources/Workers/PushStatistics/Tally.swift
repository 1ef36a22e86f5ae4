package import WireFormats

/// The counts of one message, from one partition or added up over several.
///
/// Counts are numbers of devices, except `duplicates`, `lateDropped`, `ineligible` and `unknownDevice`, which
/// count events. The schema `push_statistics.proto` defines each of them.
package struct Tally: Hashable, Sendable {
    /// The devices for which the push service has accepted the push.
    package var accepted: Int64 = 0
    /// The devices for which the push service has rejected the push, by reason. At most `reasonsLimit`
    /// reasons have a count of their own; all later ones are counted as `otherReason`.
    package private(set) var rejected: [String: Int64] = [:]
    /// The accepted devices, without those for which it is known that no service extension runs.
    package var eligible: Int64 = 0
    /// The devices where the push has arrived.
    package var arrived: Int64 = 0
    /// The arrivals that were reported within an hour of the sending; counted in segments only.
    package var early: Int64 = 0
    /// The devices that have shown the notification.
    package var shown: Int64 = 0
    /// The devices where the notification was opened.
    package var opened: Int64 = 0
    /// The devices that have shown the picture or film of the push.
    package var attachmentsShown: Int64 = 0
    /// The devices where the notification was dismissed.
    package var dismissed: Int64 = 0
    /// The devices whose user did what the push was for.
    package var converted: Int64 = 0
    /// The value of all conversions.
    package var conversionValues = ConversionValues()
    /// The events that repeat an event of the same device and kind.
    package var duplicates: Int64 = 0
    /// The events that came after the allowed lateness.
    package var lateDropped: Int64 = 0
    /// The arrivals of pushes for which no service extension runs.
    package var ineligible: Int64 = 0
    /// The events that name no device.
    package var unknownDevice: Int64 = 0
    /// The arrivals whose time by the device's clock could not be used as it was.
    package var skewAdjusted: Int64 = 0
    /// The arrivals whose time of sending is unknown. They are in no lag.
    package var lagUnknown: Int64 = 0
    /// The lags of the arrivals in a few buckets; nil if tallies with different edges were added up.
    package var histogram: LagHistogram?
    /// The lags of the arrivals, exact to 2 %.
    package var sketch = LagSketch()
    /// The arrivals by hour of the clock, at their corrected time.
    package var hours = ArrivalHours()
    /// The earliest corrected time of an arrival, in milliseconds since 1970.
    package var firstArrival: Int64?
    /// The latest corrected time of an arrival, in milliseconds since 1970.
    package var lastArrival: Int64?
    /// The earliest time of sending, in milliseconds since 1970.
    package var firstSent: Int64?
    /// The latest time of sending, in milliseconds since 1970.
    package var lastSent: Int64?

    /// Creates a tally of zeros.
    ///
    /// - Parameter edges: the edges of the lag histogram, in milliseconds, ascending.
    package init(edges: [Int64]) { self.histogram = LagHistogram(edges: edges) }

    /// The greatest number of reasons of rejection that are counted separately.
    package static let reasonsLimit = 32
    /// The reason under which all further reasons are counted.
    package static let otherReason = "other"

    /// The sum of `rejected` over all reasons.
    package var rejectedTotal: Int64 { self.rejected.values.reduce(0, +) }

    /// Whether a sender or more than one device has reported the message, so that no single device can have
    /// invented it.
    var isProven: Bool {
        self.sent > 0
            || max(
                self.arrived,
                self.shown,
                self.opened,
                self.dismissed,
                self.attachmentsShown,
                self.converted
            ) > 1
    }

    /// The devices to which the push was sent, accepted or rejected.
    package var sent: Int64 { self.accepted + self.rejectedTotal }

    /// Adds rejections under a reason, or under `otherReason` if there are too many reasons.
    package mutating func reject(_ reason: String, count: Int64 = 1) {
        let isKnown = self.rejected[reason] != nil || self.rejected.count < Self.reasonsLimit
        self.rejected[isKnown ? reason : Self.otherReason, default: 0] += count
    }

    /// Counts the sending of a push to one device; `time` is in milliseconds since 1970.
    mutating func addSending(_ event: PushEvent, at time: Int64) {
        switch event.acceptance {
        case .accepted:
            self.accepted += 1
            if event.isEligible != false { self.eligible += 1 }
        case .rejected(let reason): self.reject(reason)
        }
        self.noteSending(at: time)
    }

    /// Counts an event that is no sending and no arrival, with the value of a conversion.
    mutating func add(_ kind: PushEvent.Kind, value: ConversionValue?) {
        switch kind {
        case .sent, .arrived: break
        case .shown: self.shown += 1
        case .attachmentShown: self.attachmentsShown += 1
        case .opened: self.opened += 1
        case .dismissed: self.dismissed += 1
        case .converted:
            self.converted += 1
            if let value { self.conversionValues.add(value) }
        }
    }

    /// Counts one arrival with this lag, in milliseconds, in the histogram and in the sketch.
    package mutating func add(lag: Int64) {
        self.histogram?.add(lag: lag)
        self.sketch.add(lag: lag)
    }

    /// Extends the range of arrival times; `time` is in milliseconds since 1970.
    package mutating func noteArrival(at time: Int64) {
        self.firstArrival = min(self.firstArrival ?? time, time)
        self.lastArrival = max(self.lastArrival ?? time, time)
    }

    /// Extends the range of sending times; `time` is in milliseconds since 1970.
    package mutating func noteSending(at time: Int64) {
        self.firstSent = min(self.firstSent ?? time, time)
        self.lastSent = max(self.lastSent ?? time, time)
    }

    /// Adds the counts of two tallies and joins their ranges of time. The histogram becomes nil if the edges
    /// differ.
    package static func += (left: inout Tally, right: Tally) {
        left.accepted += right.accepted
        // The reasons are added in a fixed order, so that the same partitions always give the same reasons.
        for (reason, count) in right.rejected.sorted(by: { $0.key < $1.key }) {
            left.reject(reason, count: count)
        }
        left.eligible += right.eligible
        left.arrived += right.arrived
        left.early += right.early
        left.shown += right.shown
        left.opened += right.opened
        left.dismissed += right.dismissed
        left.attachmentsShown += right.attachmentsShown
        left.converted += right.converted
        left.conversionValues += right.conversionValues
        left.duplicates += right.duplicates
        left.lateDropped += right.lateDropped
        left.ineligible += right.ineligible
        left.unknownDevice += right.unknownDevice
        left.skewAdjusted += right.skewAdjusted
        left.lagUnknown += right.lagUnknown
        if let histogram = right.histogram, left.histogram?.add(histogram) == true {
        } else {
            left.histogram = nil
        }
        left.sketch += right.sketch
        left.hours += right.hours
        if let first = right.firstArrival { left.noteArrival(at: first) }
        if let last = right.lastArrival { left.noteArrival(at: last) }
        if let first = right.firstSent { left.noteSending(at: first) }
        if let last = right.lastSent { left.noteSending(at: last) }
    }
}
