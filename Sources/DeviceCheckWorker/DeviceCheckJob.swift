package import WireFormats

/// One operation on its way through one or two calls.
package struct DeviceCheckJob: Hashable, Sendable {
    /// What the call at hand is for.
    package enum Step: Hashable, Sendable {
        case query
        case validate
        /// Learns the bit that the change leaves as it is.
        case reading(BitChange)
        /// Sets both for the sake of the change, with what `reading` has learnt if that was needed.
        case writing(DeviceBits, BitChange)

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

    /// Whether the call at hand follows on one that has read the bits.
    var isAfterReading: Bool {
        if case .writing(_, let change) = self.step { change.complete == nil } else { false }
    }

    /// Which try of its step this is at most, by the number of all calls made for the record.
    func tries(_ number: Int) -> Int { max(1, number - (self.isAfterReading ? 1 : 0)) }

    func age(now: Int64) -> TokenAge { TokenAge(of: self.check, publishedAt: self.publishedAt, now: now) }
}
