package import WireFormats

/// What is counted of one message, by one partition or by all of them together.
package struct Tally: Hashable, Sendable {
    package var accepted: Int64 = 0
    /// By reason: at most `reasonsLimit`, and `other` for all that come later.
    package private(set) var rejected: [String: Int64] = [:]
    package var eligible: Int64 = 0
    package var arrived: Int64 = 0
    package var shown: Int64 = 0
    package var opened: Int64 = 0
    package var dismissed: Int64 = 0
    package var duplicates: Int64 = 0
    package var lateDropped: Int64 = 0
    package var ineligible: Int64 = 0
    package var unknownDevice: Int64 = 0
    package var skewAdjusted: Int64 = 0
    package var lagUnknown: Int64 = 0
    /// Nil where partitions with different edges were added up.
    package var histogram: LagHistogram?
    package var sketch = LagSketch()
    /// Milliseconds since 1970.
    package var firstArrival: Int64?
    package var lastArrival: Int64?
    package var firstSent: Int64?
    package var lastSent: Int64?

    package init(edges: [Int64]) { self.histogram = LagHistogram(edges: edges) }

    package static let reasonsLimit = 32
    package static let otherReason = "other"

    package var rejectedTotal: Int64 { self.rejected.values.reduce(0, +) }

    /// Whether more than one device has told of it, or a sender: then it is no invention of a single device.
    var isProven: Bool { self.sent > 0 || max(self.arrived, self.shown, self.opened, self.dismissed) > 1 }

    package var sent: Int64 { self.accepted + self.rejectedTotal }

    package mutating func reject(_ reason: String, count: Int64 = 1) {
        let isKnown = self.rejected[reason] != nil || self.rejected.count < Self.reasonsLimit
        self.rejected[isKnown ? reason : Self.otherReason, default: 0] += count
    }

    package mutating func add(lag: Int64) {
        self.histogram?.add(lag: lag)
        self.sketch.add(lag: lag)
    }

    package mutating func noteArrival(at time: Int64) {
        self.firstArrival = min(self.firstArrival ?? time, time)
        self.lastArrival = max(self.lastArrival ?? time, time)
    }

    package mutating func noteSending(at time: Int64) {
        self.firstSent = min(self.firstSent ?? time, time)
        self.lastSent = max(self.lastSent ?? time, time)
    }

    package static func += (left: inout Tally, right: Tally) {
        left.accepted += right.accepted
        // In an order of their own, so that the same partitions always give the same reasons.
        for (reason, count) in right.rejected.sorted(by: { $0.key < $1.key }) {
            left.reject(reason, count: count)
        }
        left.eligible += right.eligible
        left.arrived += right.arrived
        left.shown += right.shown
        left.opened += right.opened
        left.dismissed += right.dismissed
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
        if let first = right.firstArrival { left.noteArrival(at: first) }
        if let last = right.lastArrival { left.noteArrival(at: last) }
        if let first = right.firstSent { left.noteSending(at: first) }
        if let last = right.lastSent { left.noteSending(at: last) }
    }
}
