import Kafka

/// A commit that speaks of a log that is no more, and the position with which to take the partition up instead.
struct Correction {
    let committed: CommittedPosition
    /// Without an offset, the partition is read from its beginning.
    let position: CommittedPosition

    init(of committed: CommittedPosition, to position: CommittedPosition) {
        self.committed = committed
        self.position = position
    }
}
