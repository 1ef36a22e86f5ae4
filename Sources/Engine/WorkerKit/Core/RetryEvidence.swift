/// Decides whether failures tell of an upstream that has too many calls, or of records that it never answers well.
///
/// An upstream that has too many calls refuses whatever comes, and a record that it refused is as likely to succeed at
/// the next call as any other record is at its first. A record that the upstream never answers well fails again. So
/// the second calls of the last ten seconds are compared with the first calls. Later calls are left out, because a
/// record that fails every time makes many of them.
package struct RetryEvidence: Sendable {
    /// The second calls that ought to have succeeded before there is a judgement.
    private static let fewest = 5.0
    /// The part of those that did succeed, below which failures are the fault of their records.
    private static let few = 0.25

    private var first = RecentCalls()
    private var second = RecentCalls()

    /// Makes evidence without any calls.
    package init() {}

    /// Counts the end of a call.
    ///
    /// - Parameters:
    ///   - attempt: The number of the call among those of its record, from 1.
    ///   - now: The monotonic time, in nanoseconds.
    package mutating func note(failed: Bool, attempt: Int, at now: Int64) {
        switch attempt {
        case 1: self.first.note(failed: failed, at: now)
        case 2: self.second.note(failed: failed, at: now)
        default: break
        }
    }

    /// Returns whether failures are the fault of their records now, and say nothing about the load.
    package func blamesRecords(at now: Int64) -> Bool {
        let (first, second) = (self.first.counts(at: now), self.second.counts(at: now))
        guard first.calls > 0 else { return false }
        let share = Double(first.calls - first.failures) / Double(first.calls)
        let expected = share * Double(second.calls)
        return expected >= Self.fewest && Double(second.calls - second.failures) <= Self.few * expected
    }
}
