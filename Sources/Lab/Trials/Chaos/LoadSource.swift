import Records
import ServiceKit

/// A sequence of inputs for a chaos run.
protocol LoadSource {
    /// Makes the next input.
    ///
    /// - Parameter time: the time since the load began.
    mutating func next(at time: Duration, using random: inout SplitMix64) -> LoadInput
    /// Registers that the topic has more partitions from now on.
    mutating func grew(to partitions: Int)
}

extension LoadSource {
    mutating func grew(to partitions: Int) {}
}

/// A record that is about to be published, with its kind.
struct LoadInput {
    /// The record, without its key.
    var record: OutboundRecord
    var kind: InputKind
    /// The number of the record's key (see `InputKind.key`).
    var key: Int
    /// Whether the waiting time of the record is checked.
    var isHonest: Bool
}
