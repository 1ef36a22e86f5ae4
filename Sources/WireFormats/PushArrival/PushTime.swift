/// When an event happened, as well as that can be known.
///
/// Device clocks are wrong by anything up to decades, but their error is the same when an event happens and when it is
/// reported a little later: the difference of the two, and the server's clock, give the time.
package struct PushTime: Hashable, Sendable {
    /// Milliseconds since 1970, by the server's clock: never after the event was received, and never before its push was
    /// sent.
    package var correctedMS: Int64
    /// The device's time was missing, or could not be right.
    package var isAdjusted: Bool
    /// When the push was sent, by the server's clock; nil if nobody knows.
    package var sentMS: Int64?
    /// Milliseconds from then to `correctedMS`.
    package var lagMS: Int64?

    /// The first moment of 2015: no push of ours is older.
    static let earliest: Int64 = 1_420_070_400_000
    private static let dayMS: Int64 = 86_400_000

    /// - Parameter sentMS: when the push was sent, by whatever knows it best; nil for what the event itself says.
    package init(of event: PushEvent, sentMS: Int64? = nil) {
        let sentMS = sentMS ?? event.sentMS
        self.sentMS = sentMS
        guard event.kind != .sent else {
            // No device has seen it yet.
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

    /// What the device's times make of it; nil if that is later than the event was received, or long ago where nothing
    /// else tells how long.
    private static func byDevice(_ event: PushEvent, sentMS: Int64?) -> Int64? {
        guard let device = event.deviceMS, let upload = event.uploadMS else { return nil }
        // 64 bits do not hold all that a device may send.
        let time = Int128(device) + Int128(event.serverMS) - Int128(upload)
        guard time <= Int128(event.serverMS), sentMS != nil || time >= Int128(Self.earliest) else {
            return nil
        }
        return Int64(clamping: time)
    }

    /// Whether an event came so long after its push was sent that it is not counted any more.
    package static func isLate(_ event: PushEvent, sentMS: Int64?, allowedMS: Int64) -> Bool {
        guard let sentMS = sentMS ?? event.sentMS else { return false }
        return Int128(event.serverMS) - Int128(sentMS) > Int128(allowedMS)
    }

    /// Whether a time is not older than any push. Taken for milliseconds, seconds are.
    static func isPlausible(_ time: Int64) -> Bool { time >= Self.earliest }

    /// The same, and not later than a day after some other time.
    static func isPlausible(_ time: Int64, asOf other: Int64) -> Bool {
        let (latest, overflowed) = other.addingReportingOverflow(Self.dayMS)
        return self.isPlausible(time) && (overflowed || time <= latest)
    }
}
