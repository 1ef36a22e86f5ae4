package import WorkerKit

/// The circumstances of one attempt, so that a worker needs no clock and counts nothing.
public struct Attempt: Hashable, Sendable {
    /// The number of the attempt; 1 for the first.
    public var number: Int
    /// How often the record has failed by a fault that counts against it.
    public var failures: Int
    /// The time of the attempt in milliseconds since 1970.
    public var nowMS: Int64
    /// The number of earlier calls that the upstream may have acted upon although their answer is unknown.
    public var ambiguous: Int

    /// Makes circumstances, for tests.
    public init(number: Int = 1, failures: Int = 0, nowMS: Int64, ambiguous: Int = 0) {
        self.number = number
        self.failures = failures
        self.nowMS = nowMS
        self.ambiguous = ambiguous
    }

    package init(_ attempt: WorkerKit.Attempt) {
        self.init(
            number: attempt.number,
            failures: attempt.failures,
            nowMS: attempt.now,
            ambiguous: attempt.ambiguous
        )
    }
}
