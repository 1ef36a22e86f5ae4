import Records
import WorkerKit

/// What is published in a chaos run, one record after the other.
protocol LoadSource {
    /// - Parameter time: since the load began.
    mutating func next(at time: Duration, using random: inout SplitMix64) -> LoadInput
}

/// A record that is about to be published, and what it is.
struct LoadInput {
    /// It has no key yet.
    var record: OutboundRecord
    var kind: InputKind
    /// The number of its key.
    var key: Int
    /// Whether the time that it takes is judged.
    var isHonest: Bool
}
