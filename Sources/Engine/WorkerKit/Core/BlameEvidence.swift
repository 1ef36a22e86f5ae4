/// Decides whether a failure is the fault of its record or of its upstream.
///
/// The evidence is how the first calls of other records ended meanwhile. Later calls are left out: a few
/// records that can never succeed make many failures among the later calls, and would make a healthy upstream
/// look ill.
package struct BlameEvidence: Sendable {
    /// The share of failed first calls above which a failure is the upstream's fault.
    package static let tolerance = 0.1
    /// The number of first calls below which there is no judgement.
    package static let fewest: UInt64 = 3

    /// The counts of first calls at one moment. Later counts are compared with it.
    package struct Mark: Hashable, Sendable {
        fileprivate var answered: UInt64 = 0
        fileprivate var failed: UInt64 = 0

        /// Makes the mark of the start, when nothing was counted.
        package init() {}
    }

    /// The party at fault for a failure.
    package enum Judgement: Hashable, Sendable {
        case record
        case upstream
        /// Too few first calls have ended since the mark: ask again later with the same mark.
        case unknown
    }

    /// The counts so far. Keep a copy of it to judge a later failure.
    package private(set) var mark = Mark()
    private var recent = RecentCalls()

    /// Makes evidence without any calls.
    package init() {}

    /// Counts the end of a record's first call.
    ///
    /// - Parameter now: The monotonic time, in nanoseconds.
    package mutating func note(failed: Bool, at now: Int64) {
        if failed { self.mark.failed += 1 } else { self.mark.answered += 1 }
        self.recent.note(failed: failed, at: now)
    }

    /// Returns whose fault a failure is.
    ///
    /// A failure is the record's fault if at most a tenth of the first calls failed, both since the mark and
    /// in the last ten seconds. The mark alone is not enough in outages that come and go.
    package func judge(since mark: Mark, at now: Int64) -> Judgement {
        let (answered, failed) = (self.mark.answered - mark.answered, self.mark.failed - mark.failed)
        guard answered + failed >= Self.fewest else { return .unknown }
        let (calls, failures) = self.recent.counts(at: now)
        let isWell =
            Double(failed) <= Self.tolerance * Double(answered + failed)
            && Double(failures) <= Self.tolerance * Double(calls)
        return isWell ? .record : .upstream
    }
}
