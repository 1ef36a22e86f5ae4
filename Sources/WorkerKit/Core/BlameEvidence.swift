/// Tells a record that fails by its own fault from a record that suffers from its upstream.
///
/// The evidence is how other records fared meanwhile, at their first call. Later calls are left out: few records
/// that can never succeed make many failures among those, and would make a healthy upstream look ill.
package struct BlameEvidence: Sendable {
    /// Above this share of failures, a failure is the upstream's.
    package static let tolerance = 0.1
    /// Fewer first calls than this prove nothing.
    package static let fewest: UInt64 = 3

    /// What had been seen at some time.
    package struct Mark: Hashable, Sendable {
        fileprivate var answered: UInt64 = 0
        fileprivate var failed: UInt64 = 0

        package init() {}
    }

    package enum Judgement: Hashable, Sendable {
        case record
        case upstream
        /// Too little was seen since the mark: ask again with the same one.
        case unknown
    }

    /// What has been seen so far.
    package private(set) var mark = Mark()
    private var recent = RecentCalls()

    package init() {}

    /// A first call of some record ended.
    package mutating func note(failed: Bool, at now: Int64) {
        if failed { self.mark.failed += 1 } else { self.mark.answered += 1 }
        self.recent.note(failed: failed, at: now)
    }

    /// Whose fault a failure is: the record's if nearly all others got an answer, both since the mark and in the
    /// last seconds. Since the mark alone would not do in outages that come and go.
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
