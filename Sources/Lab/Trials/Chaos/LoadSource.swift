import Records
import ServiceKit

/// A sequence of inputs for a chaos run.
protocol LoadSource {
    /// Makes the next input.
    ///
    /// - Parameter time: the time since the load began.
    mutating func next(at time: Duration, using random: inout SplitMix64) -> LoadInput
}

/// A record that is about to be published, with its kind.
struct LoadInput {
    /// The record, without its key.
    var record: OutboundRecord
    var kind: InputKind
    /// The number of the record's key (see `ChaosAudit.key`).
    var key: Int
    /// Whether the waiting time of the record is checked.
    var isHonest: Bool
}
