/// The latest that is known of one message: what `flotilla.pusharrival.v1.PushStatistics` says, with nothing in it that
/// a page would have to be afraid of. No count is negative, and everything that there can be many of has a bound.
package struct MessageStatistics: Hashable, Sendable {
    /// Why the push service refused some, and how many.
    package struct Refusal: Hashable, Sendable {
        package var code: String
        package var count: Int64

        package init(code: String, count: Int64) {
            self.code = code
            self.count = count
        }
    }

    package var key: MessageKey
    package var campaign = ""
    package var version: Int64 = 0
    package var isComplete = false

    package var sent: Int64 = 0
    package var accepted: Int64 = 0
    package var rejected: Int64 = 0
    /// The most frequent first.
    package var rejectedReasons: [Refusal] = []
    package var eligible: Int64 = 0
    package var arrived: Int64 = 0
    package var shown: Int64 = 0
    package var opened: Int64 = 0
    package var dismissed: Int64 = 0

    package var lags = LagSketch()
    /// Milliseconds.
    package var lagMedian: Int64?
    package var lagNinetieth: Int64?
    package var lagUnknown: Int64 = 0

    package var duplicates: Int64 = 0
    package var late: Int64 = 0
    package var ineligible: Int64 = 0
    package var unknownDevice: Int64 = 0
    package var skewAdjusted: Int64 = 0

    /// Milliseconds since 1970.
    package var firstArrival: Int64?
    package var lastArrival: Int64?
    package var sentAt: Int64?
    package var updatedAt: Int64 = 0

    package init(key: MessageKey) { self.key = key }

    /// The rates as the topic defines them. Nil where the denominator is 0; above 1 while the sender's reports are
    /// behind those of the devices.
    package var arrivalRate: Double? { Self.rate(self.arrived, of: self.accepted) }
    package var openRate: Double? { Self.rate(self.opened, of: self.arrived) }

    package static func rate(_ count: Int64, of total: Int64) -> Double? {
        total > 0 ? Double(count) / Double(total) : nil
    }
}
