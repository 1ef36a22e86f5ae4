package import WireFormats

/// The state of one operation during its one or two calls.
package struct DeviceCheckJob: Hashable, Sendable {
    /// The purpose of the present call.
    package enum Step: Hashable, Sendable {
        /// To read the bits.
        case query
        /// To validate the device token.
        case validate
        /// To read the bit that the change leaves as it is.
        case reading(BitChange)
        /// To set both bits to these values. If the change names one bit, the other value comes from
        /// `reading`.
        case writing(DeviceBits, BitChange)

        /// The operation at Apple that this step calls.
        var operation: DeviceCheckOperation {
            switch self {
            case .query, .reading: .query
            case .validate: .validate
            case .writing: .update
            }
        }
    }

    /// The decoded record.
    var check: DeviceCheck
    /// The purpose of the present call.
    var step: Step
    /// The timestamp of the record, in milliseconds since 1970.
    var publishedAt: Int64?
    /// The serial number of the provider token in the present call.
    var serial: UInt64
    /// Whether the present call repeats one that was just refused because of our token or our clock.
    var isSecondTry = false

    /// Whether the present call follows one that has read the bits.
    var isAfterReading: Bool {
        if case .writing(_, let change) = self.step { change.complete == nil } else { false }
    }

    /// Returns which try of its step the present call is at most.
    ///
    /// - Parameter number: the number of all calls for the record.
    func tries(_ number: Int) -> Int { max(1, number - (self.isAfterReading ? 1 : 0)) }

    /// Returns the age of the device token; `now` is in milliseconds since 1970.
    func age(now: Int64) -> TokenAge { TokenAge(of: self.check, publishedAt: self.publishedAt, now: now) }
}
