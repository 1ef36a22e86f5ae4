package import WireFormats

/// One operation on its way through one or two calls.
package struct DeviceCheckJob: Hashable, Sendable {
    /// What the call at hand is for.
    package enum Step: Hashable, Sendable {
        case query
        case validate
        /// Learns the bit that the change leaves as it is.
        case reading(BitChange)
        /// Sets both, with what `reading` has learnt if it was needed.
        case writing(DeviceBits, afterReading: Bool)

        var operation: DeviceCheckOperation {
            switch self {
            case .query, .reading: .query
            case .validate: .validate
            case .writing: .update
            }
        }
    }

    var check: DeviceCheck
    var step: Step
    var publishedAt: Int64?
    /// The token of ours that the call shows.
    var serial: UInt64
    /// The same was refused a moment ago, and our token or our clock was to blame.
    var isSecondTry = false

    /// Calls that it takes before this one where nothing goes wrong.
    private var callsBefore: Int {
        if case .writing(_, afterReading: true) = self.step { 1 } else { 0 }
    }

    /// Which try of its step this is at most, by the number of all calls made for the record.
    func tries(_ number: Int) -> Int { max(1, number - self.callsBefore) }

    func age(now: Int64) -> TokenAge { TokenAge(of: self.check, publishedAt: self.publishedAt, now: now) }
}
