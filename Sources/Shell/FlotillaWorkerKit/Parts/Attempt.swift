package import WorkerKit

/// The circumstances of one attempt, so that a worker needs no clock and counts nothing.
public struct Attempt: Hashable, Sendable {
    /// The number of the attempt; 1 for the first.
    public var number: Int
    /// How often the record has failed by a fault that counts against it.
    public var failures: Int
    /// The time of the attempt in milliseconds since 1970.
    public var nowMS: Int64
    /// That time as far as it is proven: earlier than `nowMS` while the wall clock is ahead and no records
    /// have confirmed it. Call a record too old by this time only.
    public var provenMS: Int64
    /// The number of earlier calls that the upstream may have acted upon although their answer is unknown.
    public var ambiguous: Int

    /// Makes circumstances, for tests. The proven time is `nowMS` if it is not given.
    public init(number: Int = 1, failures: Int = 0, nowMS: Int64, provenMS: Int64? = nil, ambiguous: Int = 0)
    {
        self.number = number
        self.failures = failures
        self.nowMS = nowMS
        self.provenMS = provenMS ?? nowMS
        self.ambiguous = ambiguous
    }

    package init(_ attempt: WorkerKit.Attempt) {
        self.init(
            number: attempt.number,
            failures: attempt.failures,
            nowMS: attempt.now,
            provenMS: attempt.proven,
            ambiguous: attempt.ambiguous
        )
    }
}
