/// The best estimate of the time at which an event happened.
///
/// A device's clock can be wrong by decades, but its error is the same when an event happens and when the
/// event is reported a little later. The difference of these two times, subtracted from the server's time of
/// receipt, gives the time of the event.
package struct PushTime: Hashable, Sendable {
    /// The time of the event in milliseconds since 1970, by the server's clock. It is never before the time
    /// at which the push was sent, and apart from that never after the receipt of the event.
    package var correctedMS: Int64
    /// Whether the device's times were missing, or were not possible and had to be moved.
    package var isAdjusted: Bool
    /// The time at which the push was sent, by the server's clock; nil if it is unknown.
    package var sentMS: Int64?
    /// The milliseconds from `sentMS` to `correctedMS`; nil for the sending itself, and if the time of
    /// sending is unknown.
    package var lagMS: Int64?

    /// The first moment of 2015 in milliseconds since 1970; none of our pushes is older.
    static let earliest: Int64 = 1_420_070_400_000
    private static let dayMS: Int64 = 86_400_000

    /// Estimates the time of an event.
    ///
    /// - Parameter sentMS: the time at which the push was sent, from the most reliable source; nil uses the
    ///   event's own.
    package init(of event: PushEvent, sentMS: Int64? = nil) {
        let sentMS = sentMS ?? event.sentMS
        self.sentMS = sentMS
        guard event.kind != .sent else {
            // The sending of a push involves no device's clock.
            self.correctedMS = event.sentMS ?? event.serverMS
            self.isAdjusted = false
            return
        }
        let byDevice = Self.byDevice(event, sentMS: sentMS)
        let corrected = max(byDevice ?? event.serverMS, sentMS ?? .min)
        self.correctedMS = corrected
        self.isAdjusted = byDevice != corrected
        self.lagMS = sentMS.map { corrected.subtractingReportingOverflow($0) }.map {
            $0.overflow ? .max : $0.partialValue
        }
    }

    /// Returns the time by the device's clock and the server's receipt. Nil if the device's times are
    /// missing, if the result is after the receipt, or if it is before 2015 and no time of sending can limit
    /// it.
    private static func byDevice(_ event: PushEvent, sentMS: Int64?) -> Int64? {
        guard let device = event.deviceMS, let upload = event.uploadMS else { return nil }
        // The sum may need more than 64 bits, since a device may send any number.
        let time = Int128(device) + Int128(event.serverMS) - Int128(upload)
        guard time <= Int128(event.serverMS), sentMS != nil || time >= Int128(Self.earliest) else {
            return nil
        }
        return Int64(clamping: time)
    }

    /// Returns whether an event came more than `allowedMS` milliseconds after its push was sent, so that it
    /// is not counted any more. False if the time of sending is unknown.
    package static func isLate(_ event: PushEvent, sentMS: Int64?, allowedMS: Int64) -> Bool {
        guard let sentMS = sentMS ?? event.sentMS else { return false }
        return Int128(event.serverMS) - Int128(sentMS) > Int128(allowedMS)
    }

    /// Returns whether a time is 2015 or later. A time in seconds, taken for milliseconds, is not.
    static func isPlausible(_ time: Int64) -> Bool { time >= Self.earliest }

    /// Returns whether a time is 2015 or later, and at most one day after another time.
    static func isPlausible(_ time: Int64, asOf other: Int64) -> Bool {
        let (latest, overflowed) = other.addingReportingOverflow(Self.dayMS)
        return self.isPlausible(time) && (overflowed || time <= latest)
    }
}
