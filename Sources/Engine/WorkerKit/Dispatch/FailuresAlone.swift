/// How often calls for a record have failed while calls for other records succeeded: the record is probably at fault
/// itself.
///
/// At the beginning of an outage, the failures of sound records look the same, because others were answered a moment
/// before. So a failure is proven only by the answer to a call that began later. If the breaker opens first, it is
/// forgiven.
struct FailuresAlone: Sendable {
    /// The failures, proven or not. A call that was cut short counts twice, because it has taken a slot for long.
    private(set) var count = 0
    /// The last of these failures, as long as none of them was known to be proven; and the first call that failed so.
    private var unproven = (count: 0, since: UInt64(0))

    init(proven count: Int = 0) { self.count = count }

    /// Notes a failure while others succeeded.
    ///
    /// - Parameters:
    ///   - call: The number of the call that failed.
    ///   - weight: The number of failures for which it counts.
    ///   - answered: The largest number of a call that was answered at the same endpoint.
    mutating func note(_ call: UInt64, weight: Int = 1, answered: UInt64) {
        if self.unproven.count == 0 || answered > self.unproven.since { self.unproven = (0, call) }
        self.count += weight
        self.unproven.count += weight
    }

    /// Returns the number of failures that are proven.
    ///
    /// - Parameter answered: The largest number of a call that was answered at the same endpoint.
    func proven(answered: UInt64) -> Int {
        answered > self.unproven.since ? self.count : self.count - self.unproven.count
    }

    /// Forgets the failures that are not proven, because the endpoint's breaker has opened.
    ///
    /// - Parameter answered: As for `proven`.
    mutating func breakerOpened(answered: UInt64) { self = Self(proven: self.proven(answered: answered)) }
}
